"""A rhyme to learn from: two banks, a cat and a mouse.

Written for this course. Chapter: the transformer block and a tiny GPT.
"""

__all__ = ["RHYME"]

RHYME = """\
the cat sat down beside the bank
and watched the river run.
she saw a fish that rose and sank,
and slept there in the sun.

the cat sat down before the bank
and watched the people run.
she saw a coin and heard it clank,
and slept there in the sun.

which bank is wet, which bank is dry?
the word is just the same.
past one of them the fish swim by,
and still they share a name.

on monday morning, cool and grey,
the cat went to the bank.
the river took her hat away,
and down and down it sank.

on tuesday morning, wet and grey,
the cat went to the bank.
the teller took her coin away,
and in the box it clanked.

on wednesday morning, warm and bright,
the cat came home again.
she told the mouse about the light,
the river and the rain.

on thursday morning, cold and bright,
the mouse came out again.
he told the cat about the night,
the teller and the rain.

on friday morning, soft and slow,
the cat and mouse sat down.
they saw the river come and go
below the little town.

on saturday, so soft and slow,
the bank had closed its door.
they saw the people come and go
and heard the river roar.

on sunday there was nothing there,
no teller and no clerk.
the cat sat down upon a chair
and waited for the dark.

what did she want, the little cat?
she wanted what was near.
a bit of fish, a bit of hat,
a river she could hear.

what did he want, the little mouse?
he wanted what was small.
a bit of bread, a bit of house,
a hole inside the wall.

the teller had a box of gold,
the river had a stone.
the one was warm, the other cold,
and both were quite alone.

the cat looked at the box of gold,
the mouse looked at the stone.
the day was dim, the day was old,
and then they both went home.

so when you read about a bank,
look left and then look right.
the words nearby are those to thank
for bringing it to light.

a word is like a little cat,
it sits where it can see.
it looks at this, it looks at that,
and asks, what should i be?

if there is water, fish or stone,
then it will be the shore.
if there is money out on loan,
then it will have a door.

the cat sat down, the mouse sat down,
the river ran along.
the moon came up above the town
and listened to the song.

and if you ask what you will find
beyond the word you read,
then keep the other words in mind
and go where they may lead.

the cat sat down beside the bank,
the mouse sat down there too.
and you have only them to thank
for all they said to you.
"""
