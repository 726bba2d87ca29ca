"""Prints the items of a feed as JSON, as feedparser reads them: read-feedparser.py FILE"""

import json
import sys

import feedparser

feed = feedparser.parse(sys.argv[1])
items = [
    {
        "title": entry.get("title", ""),
        "isHtml": entry.get("title_detail", {}).get("type") == "text/html",
        "author": entry.get("author"),
        "content": (entry.get("content") or [{"value": entry.get("summary", "")}])[0]["value"],
    }
    for entry in feed.entries
]
error = str(feed.get("bozo_exception", "")) if feed.bozo else None
print(json.dumps({"version": feedparser.__version__, "format": feed.version, "error": error, "items": items}))
