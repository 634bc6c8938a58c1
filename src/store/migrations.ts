// The shape of the database as an ordered list of steps: append, never change. SQL that SQLite and PostgreSQL accept.

export type Migration = { name: string; statements: string[] }

export const migrations: Migration[] = [
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
  }
]
