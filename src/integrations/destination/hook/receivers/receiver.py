# Takes carts for a shop, as ../README.md says; the page at /bag/<id>, which shows data/carts/<id>, is yours to add.
# SHOP_SECRET=whsec_… SHOP_URL=https://shop.example python3 receiver.py
import base64, contextlib, hmac, http.server, json, os, pathlib, time, uuid
SECRET = base64.b64decode(os.environ['SHOP_SECRET'].removeprefix('whsec_'))
STOCK = {'MUG': 12, 'CLOCK': 3, 'LAMP': 0}  # your products
CARTS, ANSWERS = (pathlib.Path(os.environ.get('DATA', 'data'), name) for name in ('carts', 'answers'))  # your database
for folder in CARTS, ANSWERS: folder.mkdir(parents=True, exist_ok=True)

def is_signed(headers, body):
    sent_id, sent_at, sent = (headers.get(f'webhook-{name}', '') for name in ('id', 'timestamp', 'signature'))
    right = b'v1,' + base64.b64encode(hmac.digest(SECRET, f'{sent_id}.{sent_at}.'.encode() + body, 'sha256'))
    same = [hmac.compare_digest(right, each.encode()) for each in sent.split(' ')]
    return len(SECRET) >= 24 and sent_at.isdecimal() and abs(time.time() - int(sent_at)) < 300 and any(same)

def find_errors(items, currency):
    if currency != 'EUR': yield {'pointer': '#/currency', 'code': 'currency-not-sold'}
    for at, sku in enumerate(item['sku'] for item in items):
        wanted, limit = sum(item['quantity'] for item in items if item['sku'] == sku), STOCK.get(sku, 0)
        code = 'sku-unknown' if sku not in STOCK else 'quantity-too-large' if limit > 0 else 'out-of-stock'
        if limit < wanted: yield {'pointer': f'#/items/{at}/sku', 'code': code, 'limit': limit}

def take(key, reference, currency, items, **_):
    if (ANSWERS / key).exists(): return 200, (ANSWERS / key).read_bytes()  # a repeat
    if errors := list(find_errors(items, currency)):
        return 422, json.dumps({'title': 'The cart cannot be sold', 'errors': errors}).encode()
    lines, cart = [{name: item[name] for name in ('sku', 'quantity')} for item in items], CARTS / str(uuid.uuid4())
    url = f"{os.environ['SHOP_URL']}/bag/{cart.name}"  # always a fresh cart
    cart.write_text(json.dumps({'lines': lines, 'currency': currency, 'url': url, 'reference': reference}))
    with contextlib.suppress(FileExistsError): (ANSWERS / key).hardlink_to(cart)  # of two at once, one is first
    return 200, (ANSWERS / key).read_bytes()

class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(min(int(self.headers['content-length']), 4_000_000))
        status, answer = take(**json.loads(body)) if is_signed(self.headers, body) else (401, b'{}')
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.end_headers()
        self.wfile.write(answer)
http.server.ThreadingHTTPServer(('127.0.0.1', int(os.environ.get('PORT', 8080))), Receiver).serve_forever()
