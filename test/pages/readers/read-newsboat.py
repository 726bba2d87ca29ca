"""Prints the items of a cache of newsboat as JSON: read-newsboat.py CACHE"""

import json
import sqlite3
import sys

rows = sqlite3.connect(sys.argv[1]).execute("SELECT title, author, content FROM rss_item ORDER BY id")
items = [dict(zip(("title", "author", "content"), row)) for row in rows]
print(json.dumps(items))
