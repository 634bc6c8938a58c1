<?php
// Takes carts for a shop, as ../README.md says; the page at /bag/<id>, which shows data/carts/<id>, is yours to add.
// SHOP_SECRET=whsec_… SHOP_URL=https://shop.example php -S localhost:8080 receiver.php
$secret = base64_decode(preg_replace('/^whsec_/', '', (string) getenv('SHOP_SECRET')));
$data = getenv('DATA') ?: 'data'; // your database
$stock = ['MUG' => 12, 'CLOCK' => 3, 'LAMP' => 0]; // your products

function answer(int $status, string $json): never {
    http_response_code($status);
    header('Content-Type: application/json');
    exit($json);
}

function is_signed(string $secret, string $body): bool {
    [$id, $time, $sent] = array_map(fn($of) => $_SERVER["HTTP_WEBHOOK_$of"] ?? '', ['ID', 'TIMESTAMP', 'SIGNATURE']);
    $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $secret, true));
    $same = array_filter(explode(' ', $sent), fn($each) => hash_equals($right, $each));
    return strlen($secret) >= 24 && abs(time() - (int) $time) < 300 && count($same) > 0;
}

$body = file_get_contents('php://input', length: 4_000_000);
if (!is_signed($secret, $body)) answer(401, '{}'); // the bytes, before they are parsed
['key' => $key, 'reference' => $reference, 'currency' => $currency, 'items' => $items] = json_decode($body, true);
if (is_file("$data/answers/$key")) answer(200, file_get_contents("$data/answers/$key")); // a repeat
$errors = $currency === 'EUR' ? [] : [['pointer' => '#/currency', 'code' => 'currency-not-sold']];
foreach ($items as $at => ['sku' => $sku]) {
    $wanted = array_sum(array_column(array_filter($items, fn($item) => $item['sku'] === $sku), 'quantity'));
    if (!isset($stock[$sku])) $errors[] = ['pointer' => "#/items/$at/sku", 'code' => 'sku-unknown'];
    elseif ($stock[$sku] === 0) $errors[] = ['pointer' => "#/items/$at/sku", 'code' => 'out-of-stock'];
    elseif ($stock[$sku] < $wanted)
        $errors[] = ['pointer' => "#/items/$at/sku", 'code' => 'quantity-too-large', 'limit' => $stock[$sku]];
}
if ($errors) answer(422, json_encode(['title' => 'The cart cannot be sold', 'errors' => $errors]));
foreach (['carts', 'answers'] as $folder) is_dir("$data/$folder") || mkdir("$data/$folder", recursive: true);
$id = bin2hex(random_bytes(16)); // always a fresh cart
$lines = array_map(fn($item) => ['sku' => $item['sku'], 'quantity' => $item['quantity']], $items);
$url = getenv('SHOP_URL') . "/bag/$id";
file_put_contents("$data/carts/$id", json_encode(compact('lines', 'currency', 'url', 'reference')));
@link("$data/carts/$id", "$data/answers/$key"); // of two at the same moment, one is first
answer(200, file_get_contents("$data/answers/$key"));
