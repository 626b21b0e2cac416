"""The course in a browser's own Python: cells as a notebook would run them.

A page of the book starts this Python when its reader presses Run
(`book/_live`). It has NumPy, but no Jupyter and no Matplotlib: the modules
here stand in for what the chapters use of them. Importing this package puts
the stand-ins in place, so import it in a browser only.
"""

import sys
import time

from coursekit.page import display, figures
from coursekit.page.cells import complete, run

__all__ = ["complete", "run"]

# The time that the processor has worked stands still in a browser.
time.process_time = time.perf_counter

for _module in (display, figures):
    sys.modules.update(_module.stand_ins())
