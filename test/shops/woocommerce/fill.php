<?php
// What this shop sells, and how. In its folder: php fill.php SECRET URL…
// A product is called as its SKU, as the block checkout shows no other.
define('WP_ADMIN', true);
require 'wp-load.php';
require ABSPATH . 'wp-admin/includes/admin.php';
wp_set_current_user(1);
WC_Install::install();
WC_Install::create_pages();
$options = [
    'woocommerce_coming_soon' => 'no',
    'woocommerce_currency' => 'EUR',
    'woocommerce_default_country' => 'DE',
    'woocommerce_enable_guest_checkout' => 'yes',
    'woocommerce_task_list_hidden' => 'yes',
    'woocommerce_bacs_settings' => ['enabled' => 'yes', 'title' => 'Direct bank transfer'],
];
foreach ($options as $name => $value) update_option($name, $value);

function sell(string $sku, array $props = [], string $class = WC_Product_Simple::class): int {
    $product = new $class();
    $wrong = $product->set_props(['sku' => $sku, 'name' => $sku, 'regular_price' => '12.50', ...$props]);
    if (is_wp_error($wrong)) throw new Exception("$sku: " . $wrong->get_error_message());
    return $product->save();
}
$units = fn(int $quantity) => ['manage_stock' => true, 'stock_quantity' => $quantity];

foreach (['MUG', 'LAMP', 'CLOCK', '12345', 'a,b c&d', "ODD/1+2%_(x)'é"] as $sku) sell($sku);
// WordPress would print this as 80×40 “A”–B.
sell('80x40 "A"--B');
foreach (range(1, 110) as $number) sell(sprintf('LINE-%03d', $number), ['regular_price' => '1.00']);
sell('GONE', $units(0));
sell('TEA', $units(5));
sell('BACK', [...$units(0), 'backorders' => 'yes']);
sell('ONCE', ['sold_individually' => true]);
sell('DRAFT', ['status' => 'draft']);
sell('PRIVATE', ['status' => 'private']);
sell('HIDDEN', ['catalog_visibility' => 'hidden']);
sell('UNPRICED', ['regular_price' => '']);
sell('FREE', ['regular_price' => '0']);
sell('ELSEWHERE', ['product_url' => 'https://elsewhere.example/'], WC_Product_External::class);
sell('SET', ['children' => [wc_get_product_id_by_sku('MUG'), wc_get_product_id_by_sku('LAMP')]], WC_Product_Grouped::class);

function attribute(string $name, array $options): WC_Product_Attribute {
    $attribute = new WC_Product_Attribute();
    $attribute->set_name($name);
    $attribute->set_options($options);
    $attribute->set_visible(true);
    $attribute->set_variation(true);
    return $attribute;
}
$attributes = [attribute('Size', ['S', 'M', 'L']), attribute('Colour', ['Red', 'Blue'])];
$shirt = sell('SHIRT', ['name' => 'Shirt', 'attributes' => $attributes], WC_Product_Variable::class);
$variation = fn(string $sku, array $of, array $props = []) =>
    sell($sku, ['parent_id' => $shirt, 'attributes' => $of, ...$props], WC_Product_Variation::class);
$variation('SHIRT-S', ['size' => 'S', 'colour' => 'Red']);
$variation('SHIRT-M', ['size' => 'M', 'colour' => 'Red']);
$variation('SHIRT-GONE', ['size' => 'L', 'colour' => 'Red'], $units(0));
// Its colour is for the shopper to choose.
$variation('SHIRT-ANY', ['size' => 'S', 'colour' => '']);

// Its variations have their stock together.
$socks = sell('SOCKS', ['attributes' => [attribute('Size', ['S', 'M'])], ...$units(5)], WC_Product_Variable::class);
foreach (['S', 'M'] as $size) {
    sell("SOCKS-$size", ['parent_id' => $socks, 'attributes' => ['size' => $size]], WC_Product_Variation::class);
}

$zone = new WC_Shipping_Zone(0);
$flat = $zone->add_shipping_method('flat_rate');
update_option("woocommerce_flat_rate_{$flat}_settings", ['title' => 'Flat rate', 'tax_status' => 'none', 'cost' => '4.90']);

foreach (['SUMMER10' => [], 'OLD' => ['date_expires' => '2026-01-01']] as $code => $props) {
    $coupon = new WC_Coupon();
    $coupon->set_props(['code' => $code, 'discount_type' => 'percent', 'amount' => '10', ...$props]);
    $coupon->save();
}

$classic = ['post_type' => 'page', 'post_status' => 'publish', 'post_name' => 'classic-checkout', 'post_title' => 'Checkout'];
update_option('classic_checkout_page_id', wp_insert_post([...$classic, 'post_content' => '[woocommerce_checkout]']));
wc_create_new_customer('ada@example.com', 'ada', 'local-only');

foreach (array_slice($argv, 2) as $url) {
    foreach (['order.created', 'order.updated'] as $topic) {
        $webhook = new WC_Webhook();
        $webhook->set_props(['name' => $topic, 'topic' => $topic, 'delivery_url' => $url, 'secret' => $argv[1]]);
        $webhook->set_props(['status' => 'active', 'user_id' => 1]);
        $webhook->save();
    }
}
flush_rewrite_rules();
