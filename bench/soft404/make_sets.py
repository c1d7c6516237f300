#!/usr/bin/env python3
"""Makes sets of pages with soft 404s out of the real pages of one site, for bench/soft404.

    make_sets.py PAGES.jsonl DIRECTORY [--pages 400] [--missing 120] [--seed 1]

PAGES.jsonl has canonical page records of one site, its home page first. Each set is that site with
a server that answers 200 to whatever it doesn't have, in one way: a file NAME.jsonl for each. Its
lines are page records in the order of the fetches, with attrs.soft_404 true or false and attrs.kind.
So labels are by construction. The same pages and options give the same sets.
"""

import argparse
import collections
import hashlib
import html
import json
import os
import random
import re
from urllib.parse import urlsplit, urlunsplit

# Title, sentence, and what some sites say besides. {} is the URL's path.
TEXTS = (
    ("Page not found", "The page you are looking for could not be found.",
     "It may have been moved or deleted. Check the address, use the search form, or go back to the "
     "home page. If you followed a link on this site, please tell us about it."),
    ("404", "Sorry, there is nothing here.", "Try a search, or one of the links in the menu."),
    ("Oops!", "We can't seem to find what you want.",
     "Our site was renewed some time ago, and not every old address leads to its new place. We are "
     "sorry about that. The menu above has all sections, and the search finds the rest."),
    ("Seite nicht gefunden", "Die gewünschte Seite wurde leider nicht gefunden.",
     "Vielleicht wurde sie verschoben oder gelöscht. Prüfen Sie die Adresse, benutzen Sie die Suche "
     "oder gehen Sie zur Startseite zurück."),
    ("Page introuvable", "La page que vous cherchez n'existe pas ou n'existe plus.",
     "Vérifiez l'adresse, utilisez la recherche ou revenez à la page d'accueil du site."),
    ("Página no encontrada", "No hemos podido encontrar la página solicitada.",
     "Es posible que haya cambiado de dirección o que ya no exista. Pruebe con el buscador."),
    ("Pagina non trovata", "La pagina richiesta non è disponibile.",
     "Controlli l'indirizzo oppure torni alla pagina principale e usi la ricerca."),
    ("Página não encontrada", "A página que procura não existe.",
     "Verifique o endereço ou volte ao início e use a pesquisa."),
    ("Pagina niet gevonden", "De pagina die u zoekt bestaat niet meer.",
     "Controleer het adres of gebruik het zoekveld bovenaan deze site."),
    ("Nie znaleziono strony", "Strona, której szukasz, nie istnieje.",
     "Sprawdź adres albo wróć na stronę główną i użyj wyszukiwarki."),
    ("Страница не найдена", "К сожалению, такой страницы нет на нашем сайте.",
     "Возможно, она была удалена или перенесена. Проверьте адрес или воспользуйтесь поиском."),
    ("ページが見つかりません", "お探しのページは見つかりませんでした。",
     "移動または削除された可能性があります。アドレスをご確認のうえ、検索をご利用ください。"),
)

# Where pages may have what is theirs alone.
MAIN = re.compile("|".join((
    r"<main\b[^>]*>", r"<[a-z]+\b[^>]*\brole=[\"']?main[^>]*>",
    r"<div\b[^>]*\bid=[\"']?(?:content|main|bodycontent|docs-content)\b[^>]*>",
    r"<div\b[^>]*\bclass=[\"']?(?:body|document|content|main|sect1|chapter|fancy)\b[^>]*>",
    r"<article\b[^>]*>")), re.I)


def number_of(text):
    return int.from_bytes(hashlib.md5(text.encode()).digest()[:4], "big")


def text_of(body):
    body = re.sub(r"(?is)<(script|style|head|nav|footer|form)\b.*?</\1\s*>|<!--.*?-->", " ", body)
    return html.unescape(re.sub(r"<[^>]*>", " ", body)).split()


def title_of(body):
    found = re.search(r"(?is)<title[^>]*>(.*?)</title>", body)
    return " ".join(html.unescape(found.group(1)).split()) if found else ""


class Template:
    """A real page around whatever is put in the place of its main part."""

    def __init__(self, body, title):
        start, end = self._main(body)
        head = re.sub(r"(?i)<link\b[^>]*canonical[^>]*>", "", body[:start])
        self._parts = re.split(r"(?is)(?<=<title>).*?(?=</title>)", head, maxsplit=1)
        self._end = body[end:]
        self._site = re.split(r"\s[-|–—]\s", title)[-1]

    @staticmethod
    def _main(body):
        """Of the elements that may be it, the one with the most text, if that is most of all."""
        found = [Template._inner(body, tag) for tag in MAIN.finditer(body)]
        found.sort(key=lambda part: len(text_of(body[slice(*part)])))
        if found and 2 * len(text_of(body[slice(*found[-1])])) > len(text_of(body)):
            return found[-1]
        tag = re.search(r"(?i)<body\b[^>]*>", body)
        return Template._inner(body, tag) if tag else (0, len(body))

    @staticmethod
    def _inner(body, start):
        name = re.match(r"<(\w+)", start.group()).group(1)
        depth = 0
        for tag in re.compile(rf"(?i)<(/?){name}\b[^>]*>").finditer(body, start.start()):
            depth += -1 if tag.group(1) else 1
            if depth == 0:
                return start.end(), tag.start()
        return start.end(), len(body)

    def page(self, title, main):
        return f"{title} - {self._site}".join(self._parts) + main + self._end


class Site:
    def __init__(self, records, count, chance):
        self.home = records[0]
        rest = [record for record in records[1:] if record.get("status_code", 200) == 200]
        self.pages = [self.home] + chance.sample(rest, min(count, len(rest)))
        self.repeats = collections.Counter(title_of(record["body"]) for record in records)
        self.urls = {record["url"] for record in records}
        # The template of a page that has much text, so that its main part is found.
        typical = sorted(self.pages, key=lambda page: len(text_of(page["body"])))
        typical = typical[len(typical) * 2 // 3]
        self.template = Template(typical["body"], title_of(typical["body"]))
        self.titles = sorted({(title_of(page["body"]), page["url"]) for page in self.pages})
        self.words = sorted({word.lower() for title, _ in self.titles
                             for word in re.findall(r"[A-Za-z]{4,}", title)}) or ["page"]

    def link(self, number):
        title, url = self.titles[number % len(self.titles)]
        return f'<li><a href="{html.escape(url)}">{html.escape(title)}</a></li>'

    def name(self, chance):
        return "-".join(chance.choice(self.words) for _ in range(chance.randint(1, 3)))

    def missing_url(self, chance):
        """Beside a real page, in a folder that there never was, or at the top."""
        for _ in range(1000):
            parts = urlsplit(chance.choice(self.pages)["url"])
            folder, _, last = parts.path.rpartition("/")
            ending = "." + last.rpartition(".")[2] if "." in last else ""
            path, query = parts.path, ""
            where = chance.random()
            if where < 0.2:
                path = f"/{self.name(chance)}{ending}"
            elif where < 0.4:
                path = f"/{self.name(chance)}/{self.name(chance)}{ending}"
            elif parts.query and where < 0.8:
                name = parts.query.partition("=")[0]
                query = f"{name}={self.name(chance)}"
            else:
                path = f"{folder}/{self.name(chance)}{ending}"
            url = urlunsplit((parts.scheme, parts.netloc, path, query, ""))
            if url not in self.urls:
                self.urls.add(url)
                return url
        raise SystemExit("no missing URL was found")

    def url(self, path):
        parts = urlsplit(self.home["url"])
        return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def record_of(url, body, soft, kind, **more):
    return {"url": url, "content_type": "text/html", "status_code": 200, "body": body,
            "attrs": {"soft_404": soft, "kind": kind}, **more}


def paragraphs(*texts):
    return "".join(f"<p>{html.escape(text)}</p>" for text in texts)


# Each answers a URL that there isn't: (site, text, URL, number of the fetch) -> body.

def plain(site, text, _url, _number):
    return site.template.page(text[0], f"<h1>{text[0]}</h1>" + paragraphs(text[1]))


def long_text(site, text, _url, _number):
    return site.template.page(text[0], f"<h1>{text[0]}</h1>" + paragraphs(text[1], text[2]))


def echoed_url(site, text, url, _number):
    return site.template.page(text[0], f"<h1>{text[0]}</h1>" + paragraphs(url, text[1], text[2]))


def echoed_in_title(site, text, url, _number):
    name = re.split(r"[/=]", url.rstrip("/"))[-1]
    return site.template.page(f"{text[0]}: {name}",
                              f"<h1>{text[0]}: {html.escape(name)}</h1>" + paragraphs(text[1]))


def popular_links(site, text, _url, number):
    """A list of eight, of which one changes after every tenth fetch."""
    links = "".join(site.link(number_of(str(number // 10 + i))) for i in range(8))
    return site.template.page(text[0], f"<h1>{text[0]}</h1>" + paragraphs(text[1], text[2]) +
                              f"<ul>{links}</ul>")


def suggestions(site, text, url, _number):
    links = "".join(site.link(number_of(f"{url} {i}")) for i in range(5))
    return site.template.page(text[0], f"<h1>{text[0]}</h1>" + paragraphs(text[1], text[2]) +
                              f"<ul>{links}</ul>")


def search_results(site, text, url, _number):
    """What the site's search finds for the words of the URL, with excerpts."""
    name = re.split(r"[/=]", url.rstrip("/"))[-1].replace("-", " ")
    found = []
    for i in range(4):
        page = site.pages[number_of(f"{url} {i}") % len(site.pages)]
        words = text_of(page["body"])
        found.append(f"<h3>{html.escape(title_of(page['body']))}</h3>" +
                     paragraphs(" ".join(words[:25])))
    return site.template.page(text[0], f"<h1>{text[0]}</h1>" + paragraphs(f"{text[1]} {name}") +
                              "".join(found))


def home_page(site, _text, _url, _number):
    return site.home["body"]


WAYS = (plain, long_text, echoed_url, echoed_in_title, popular_links, suggestions, search_results,
        home_page)


def negatives(site, texts, chance):
    """Pages that aren't soft 404s, and could be taken for some."""
    made = []

    def add(path, title, main, kind):
        made.append(record_of(site.url(path), site.template.page(title, main), False, kind))

    for i in range(20):
        title, url = chance.choice(site.titles)
        words = text_of(next(page["body"] for page in site.pages if page["url"] == url))
        add(f"/notes/{site.name(chance)}-{i}.html", f"{title} {i}",
            f"<h1>{html.escape(title)}</h1>" + paragraphs(" ".join(words[:8])), "stub")
    for i in range(12):
        name = site.name(chance) + str(i)
        add(f"/tag/{name}/", name, f"<h1>{name}</h1><p>No entries.</p>", "empty listing")
        add(f"/author/{name}/", name, f"<h1>{name}</h1><p>No entries.</p>", "empty listing")
    for i in range(4):
        about = chance.sample(texts, 4)
        add(f"/help/errors-{i}.html", "Error 404, and what it means",
            "".join(f"<h2>{text[0]}</h2>" + paragraphs(text[1], text[2]) for text in about),
            "about errors")
    for i in range(15):
        add(f"/login?return=/{site.name(chance)}-{i}", "Log in",
            "<h1>Log in</h1><form><label>Name</label><input name=n><label>Password</label>"
            "<input name=p></form><p>You need an account to see this page.</p>", "login form")
    for i in range(12):
        add(f"/{site.name(chance)}{i}/license.html", "License",
            "<h1>License</h1>" + paragraphs(
                "You may use and change these pages for any purpose, as long as you say where they "
                "are from. They come without any warranty."), "license")
    # Pages that their site has once: a login form that it has everywhere is another matter.
    once = [page for page in site.pages[1:] if site.repeats[title_of(page["body"])] == 1]
    for page in chance.sample(once, min(10, len(once))):
        name = site.name(chance) + str(number_of(page["url"]) % 1000)
        for folder in ("print", "archive/2019", "m"):
            made.append(record_of(site.url(f"/{folder}/{name}.html"),
                                  page["body"].replace("</body>", f"<p>{folder}</p></body>"), False,
                                  "repeated page"))
    return made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages")
    parser.add_argument("directory")
    parser.add_argument("--pages", type=int, default=400, dest="count", help="real pages of a set")
    parser.add_argument("--missing", type=int, default=120, help="soft 404s of a set")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with open(options.pages, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    os.makedirs(options.directory, exist_ok=True)
    for number, way in enumerate(WAYS):
        chance = random.Random(f"{options.seed} {way.__name__}")
        site = Site(records, options.count, chance)
        text = TEXTS[(number + options.seed + number_of(records[0]["url"])) % len(TEXTS)]
        fetches = [record_of(page["url"], page["body"], False, "page") for page in site.pages[1:]]
        fetches += negatives(site, TEXTS, chance)
        fetches += [record_of(site.missing_url(chance), None, True, way.__name__)
                    for _ in range(options.missing)]
        chance.shuffle(fetches)
        fetches.insert(0, record_of(site.home["url"], site.home["body"], False, "home page"))
        name = os.path.join(options.directory, f"{way.__name__}.jsonl")
        with open(name, "w", encoding="utf-8") as out:
            for i, fetch in enumerate(fetches):
                if fetch["body"] is None:
                    fetch["body"] = way(site, text, fetch["url"], i)
                out.write(json.dumps(fetch) + "\n")


if __name__ == "__main__":
    main()
