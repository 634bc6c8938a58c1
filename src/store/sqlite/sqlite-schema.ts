// SQLite's schema, as migrations: append, never change. PostgreSQL's first migration runs everything here up to 012; 013 and
// 014 are SQLite's alone.
import type { Migration } from '../migrations.ts'

export const sqliteMigrations: Migration[] = [
  {
    name: '001-checkouts',
    statements: [
      `CREATE TABLE checkouts (
        token TEXT PRIMARY KEY,
        merchant_id TEXT NOT NULL,
        reference_key TEXT NOT NULL,
        transfer_option TEXT NOT NULL,
        cart TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        superseded_at TEXT
      )`,
      `CREATE UNIQUE INDEX checkouts_newest ON checkouts (merchant_id, reference_key) WHERE superseded_at IS NULL`,
      `CREATE INDEX checkouts_expiry ON checkouts (merchant_id, expires_at)`
    ]
  },
  {
    name: '002-orders',
    statements: [
      `CREATE TABLE orders (
        number TEXT PRIMARY KEY,
        merchant_id TEXT NOT NULL,
        reference_key TEXT NOT NULL,
        token TEXT NOT NULL UNIQUE,
        reference TEXT NOT NULL,
        currency TEXT NOT NULL,
        lines TEXT NOT NULL,
        subtotal BIGINT NOT NULL,
        delivery TEXT,
        total BIGINT NOT NULL,
        customer TEXT,
        placed_at TEXT NOT NULL
      )`,
      `CREATE UNIQUE INDEX orders_reference ON orders (merchant_id, reference_key)`
    ]
  },
  {
    name: '003-outbox',
    statements: [
      `CREATE TABLE outbox (
        order_number TEXT PRIMARY KEY,
        merchant_id TEXT NOT NULL,
        state TEXT NOT NULL,
        attempts BIGINT NOT NULL,
        due_at TEXT NOT NULL,
        claim TEXT,
        attempted_at TEXT,
        problem TEXT
      )`,
      `CREATE INDEX outbox_due ON outbox (merchant_id, due_at) WHERE state = 'pending'`,
      `CREATE INDEX outbox_failed ON outbox (order_number) WHERE state = 'failed'`,
      `CREATE INDEX orders_placed ON orders (placed_at, number)`
    ]
  },
  {
    name: '004-transfers',
    statements: [
      `CREATE TABLE transfers (
        id TEXT PRIMARY KEY,
        merchant_id TEXT NOT NULL,
        reference_key TEXT NOT NULL,
        reference TEXT NOT NULL,
        transfer_option TEXT NOT NULL,
        outcome TEXT NOT NULL,
        problem TEXT,
        mistakes TEXT NOT NULL,
        transferred_at TEXT NOT NULL
      )`,
      `CREATE INDEX transfers_reference ON transfers (merchant_id, reference_key, transferred_at)`,
      `CREATE INDEX transfers_age ON transfers (merchant_id, transferred_at)`,
      `CREATE TABLE unreadable_transfers (
        merchant_id TEXT NOT NULL,
        transferred_on TEXT NOT NULL,
        transfers BIGINT NOT NULL,
        PRIMARY KEY (merchant_id, transferred_on)
      )`,
      `CREATE INDEX checkouts_superseded ON checkouts (merchant_id, reference_key) WHERE superseded_at IS NOT NULL`
    ]
  },
  {
    name: '005-ordered-checkouts',
    statements: [
      `ALTER TABLE checkouts ADD COLUMN is_ordered BIGINT NOT NULL DEFAULT 0`,
      `UPDATE checkouts SET is_ordered = 1 WHERE token IN (SELECT token FROM orders)`,
      `DROP INDEX checkouts_expiry`,
      `CREATE INDEX checkouts_unordered ON checkouts (merchant_id, expires_at) WHERE is_ordered = 0`
    ]
  },
  {
    // Records without ids, and with the reference as sent only if it differs from its key: a third smaller.
    name: '006-transfers',
    statements: [
      `ALTER TABLE transfers RENAME TO transfers_with_ids`,
      `CREATE TABLE transfers (
        merchant_id TEXT NOT NULL,
        reference_key TEXT NOT NULL,
        reference TEXT,
        transfer_option TEXT NOT NULL,
        outcome TEXT NOT NULL,
        problem TEXT,
        mistakes TEXT NOT NULL,
        transferred_at TEXT NOT NULL
      )`,
      `INSERT INTO transfers SELECT merchant_id, reference_key, nullif(reference, reference_key), transfer_option, outcome,
        problem, mistakes, transferred_at FROM transfers_with_ids`,
      `DROP TABLE transfers_with_ids`,
      `CREATE INDEX transfers_reference ON transfers (merchant_id, reference_key, transferred_at)`,
      `CREATE INDEX transfers_age ON transfers (merchant_id, transferred_at)`
    ]
  },
  {
    name: '007-write-checks',
    statements: [`CREATE TABLE write_checks (id INTEGER PRIMARY KEY, content TEXT NOT NULL)`]
  },
  {
    // By which the clean-up finds the orders whose personal data is due to be erased, however many are erased already.
    name: '008-personal-data',
    statements: [`CREATE INDEX orders_personal ON orders (merchant_id, placed_at) WHERE customer IS NOT NULL`]
  },
  {
    // Merchants whose webhook has answered 410 Gone: nothing more is sent there until a redelivery or the next start.
    name: '009-stopped-webhooks',
    statements: [`CREATE TABLE stopped_webhooks (merchant_id TEXT PRIMARY KEY, stopped_at TEXT NOT NULL)`]
  },
  {
    // Carts on their way into a merchant's own shop, and where the shop has put them.
    name: '010-handovers',
    statements: [
      `CREATE TABLE handovers (
        merchant_id TEXT NOT NULL,
        reference_key TEXT NOT NULL,
        attempt TEXT NOT NULL,
        cart TEXT NOT NULL,
        created_at TEXT NOT NULL,
        PRIMARY KEY (merchant_id, reference_key)
      )`,
      `ALTER TABLE checkouts ADD COLUMN handover TEXT`
    ]
  },
  {
    // Orders that merchants took in their own shops. Their numbers are unique for each merchant alone.
    name: '011-reported-orders',
    statements: [
      `CREATE TABLE reported_orders (
        merchant_id TEXT NOT NULL,
        reference_key TEXT NOT NULL,
        reference TEXT NOT NULL,
        number TEXT NOT NULL,
        currency TEXT NOT NULL,
        items TEXT NOT NULL,
        total BIGINT NOT NULL,
        reported_at TEXT NOT NULL,
        arrived_at TEXT,
        PRIMARY KEY (merchant_id, reference_key)
      )`,
      `CREATE UNIQUE INDEX reported_orders_number ON reported_orders (number, merchant_id)`,
      `CREATE INDEX reported_orders_reported ON reported_orders (reported_at, number, merchant_id)`
    ]
  },
  {
    // How many messages wait, and for how long, is asked every few seconds: from the index alone, however many there are.
    name: '012-undelivered',
    statements: [
      `ALTER TABLE outbox ADD COLUMN queued_at TEXT`,
      `UPDATE outbox SET queued_at = (SELECT placed_at FROM orders WHERE number = order_number)
        WHERE state <> 'delivered'`,
      `CREATE INDEX outbox_undelivered ON outbox (merchant_id, state, queued_at) WHERE state <> 'delivered'`
    ]
  },
  {
    // UUIDs as 16 bytes in the index.
    name: '013-short-references',
    statements: [
      `DROP INDEX checkouts_newest`,
      `CREATE UNIQUE INDEX checkouts_newest ON checkouts
        (merchant_id, coalesce(CASE length(reference_key) WHEN 32 THEN unhex(reference_key) END, reference_key))
        WHERE superseded_at IS NULL`
    ]
  },
  {
    // As in PostgreSQL, so that the statements are the same.
    name: '014-plain-references',
    statements: [
      `DROP INDEX checkouts_newest`,
      `CREATE UNIQUE INDEX checkouts_newest ON checkouts (merchant_id, reference_key) WHERE superseded_at IS NULL`
    ]
  },
  {
    // Orders placed before version 1.0 have none.
    name: '015-order-language',
    statements: [`ALTER TABLE orders ADD COLUMN language TEXT`]
  },
  {
    // What became of an order in the merchant's shop, further orders of its reference, and carts by what is in them.
    name: '016-shop-orders',
    statements: [
      `ALTER TABLE reported_orders ADD COLUMN status TEXT`,
      `ALTER TABLE reported_orders ADD COLUMN status_at TEXT`,
      `ALTER TABLE reported_orders ADD COLUMN further_of TEXT`,
      `CREATE INDEX reported_orders_further ON reported_orders (merchant_id, further_of) WHERE further_of IS NOT NULL`,
      `ALTER TABLE checkouts ADD COLUMN content_key TEXT`,
      `CREATE INDEX checkouts_content ON checkouts (merchant_id, content_key, expires_at)
        WHERE content_key IS NOT NULL AND is_ordered = 0`
    ]
  },
  {
    // Payments, each with its order as JSON until that is placed. Later messages about an order have keys of their own: a server
    // of the version before finds no order for them, and leaves them.
    name: '017-payments',
    statements: [
      `CREATE TABLE payments (
        id TEXT PRIMARY KEY,
        order_number TEXT NOT NULL,
        attempt BIGINT NOT NULL,
        merchant_id TEXT NOT NULL,
        token TEXT NOT NULL,
        reference_key TEXT NOT NULL,
        reference TEXT NOT NULL,
        content TEXT,
        currency TEXT NOT NULL,
        amount BIGINT NOT NULL,
        provider TEXT NOT NULL,
        provider_id TEXT,
        url TEXT,
        transaction_id TEXT,
        instructions_url TEXT,
        state TEXT NOT NULL,
        reason TEXT,
        refunded BIGINT NOT NULL DEFAULT 0,
        created_at TEXT NOT NULL,
        expires_at TEXT NOT NULL,
        due_at TEXT
      )`,
      `CREATE UNIQUE INDEX payments_attempt ON payments (token, attempt)`,
      `CREATE UNIQUE INDEX payments_live ON payments (token) WHERE state IN ('opening', 'open')`,
      `CREATE INDEX payments_number ON payments (order_number)`,
      `CREATE INDEX payments_reference ON payments (reference_key)`,
      `CREATE INDEX payments_begun ON payments (created_at, id)`,
      `CREATE INDEX payments_due ON payments (merchant_id, due_at) WHERE due_at IS NOT NULL`,
      `CREATE INDEX payments_waiting ON payments (merchant_id, state, created_at)
        WHERE state IN ('opening', 'open', 'pending', 'refunding')`,
      `CREATE INDEX payments_personal ON payments (merchant_id, expires_at) WHERE content IS NOT NULL`,
      `ALTER TABLE orders ADD COLUMN payment_id TEXT`,
      `ALTER TABLE outbox ADD COLUMN event TEXT NOT NULL DEFAULT 'order.placed'`,
      `ALTER TABLE outbox ADD COLUMN happened_at TEXT`,
      `ALTER TABLE outbox ADD COLUMN further_of TEXT`,
      `CREATE INDEX outbox_further ON outbox (further_of) WHERE further_of IS NOT NULL`
    ]
  },
  {
    // Who may come back to a payment, and how often the provider is asked for them. A checkout that waits for the payment of
    // an earlier one is superseded, for a server of the version before.
    name: '018-attempts',
    statements: [
      `ALTER TABLE payments ADD COLUMN secret TEXT`,
      `ALTER TABLE payments ADD COLUMN returned_at TEXT`,
      `ALTER TABLE payments ADD COLUMN pressed_at TEXT`,
      `ALTER TABLE checkouts ADD COLUMN waits_for TEXT`,
      `CREATE INDEX checkouts_waiting ON checkouts (waits_for) WHERE waits_for IS NOT NULL`
    ]
  },
  {
    name: '019-refunds',
    statements: [
      `ALTER TABLE payments ADD COLUMN refund_before BIGINT`,
      `ALTER TABLE payments ADD COLUMN refund_amount BIGINT`,
      `ALTER TABLE payments ADD COLUMN refund_key TEXT`,
      `ALTER TABLE payments ADD COLUMN dispute TEXT`
    ]
  },
  {
    // With which whoever placed an order reads what they typed, once; then there is none.
    name: '020-order-secrets',
    statements: [`ALTER TABLE orders ADD COLUMN secret TEXT`]
  },
  {
    // Answers to the requests of platforms that sent a key, so that a repeat gets the same.
    name: '021-idempotency-keys',
    statements: [
      `CREATE TABLE idempotency_keys (
        merchant_id TEXT NOT NULL,
        scope TEXT NOT NULL,
        digest TEXT NOT NULL,
        status BIGINT NOT NULL,
        body TEXT NOT NULL,
        created_at TEXT NOT NULL,
        PRIMARY KEY (merchant_id, scope)
      )`,
      `CREATE INDEX idempotency_keys_kept ON idempotency_keys (merchant_id, created_at)`
    ]
  }
]
