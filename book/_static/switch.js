/* The switch between the editions leads to the section that is being read. */

/* The section at the top of the screen, or none at the top of the page. */
function currentSection() {
  const top = innerHeight / 4;
  const above = [...document.querySelectorAll("main section[id]")].filter(
    (section) => section.getBoundingClientRect().top < top,
  );
  return scrollY > top ? above.at(-1) : undefined;
}

/* What a reader has chosen is offered again, on a page that is in another
   language; nobody is sent anywhere. */
function offer(link) {
  const here = document.documentElement.lang;
  const chosen = localStorage.getItem("language");
  const wanted = chosen ?? navigator.language.slice(0, 2);
  if (wanted === here || wanted !== link.lang) return;
  const line = document.createElement("p");
  line.className = "edition-offer";
  line.lang = link.lang;
  const twin = link.cloneNode();
  twin.className = "";
  twin.textContent =
    link.lang === "ko" ? "이 페이지를 한국어로 읽기" : "Read this page in English";
  const close = document.createElement("button");
  close.type = "button";
  close.textContent = link.lang === "ko" ? "닫기" : "Close";
  close.addEventListener("click", () => {
    localStorage.setItem("language", here);
    line.remove();
  });
  line.append(twin, " ", close);
  document.querySelector("main article, #main-content")?.prepend(line);
}

addEventListener("click", (event) => {
  const link = event.target.closest?.("a[hreflang]");
  if (!link) return;
  localStorage.setItem("language", link.hreflang);
  const section = currentSection();
  if (section) link.hash = section.id;
});

{
  const link = document.querySelector("a.edition-switch");
  if (link) offer(link);
}
