// Profiles of platforms: what is read of them, and what is none.
import t from 'tap'
import { Problem } from '../../src/errors.ts'
import { profileAddress, readPlatformProfile } from '../../src/ucp/platform-profile.ts'

const CART = 'dev.ucp.shopping.cart'

function profile(version: string, more: object = {}, outside: object = {}): string {
  return JSON.stringify({
    ucp: { version, services: {}, capabilities: { [CART]: [{ version }] }, payment_handlers: {}, ...more },
    ...outside
  })
}

t.test('each version has its keys in another place', async t => {
  const [old, young] = [{ kid: 'old' }, { kid: 'young' }]
  for (const [version, keys] of [
    ['2026-08-25', [young]],
    ['2026-04-08', [old]]
  ] as const) {
    const read = readPlatformProfile(profile(version, {}, { keys: [young], signing_keys: [old] }))
    t.strictSame(read, { version, capabilities: [CART], keys })
    t.strictSame(readPlatformProfile(profile(version)).keys, [])
  }
})

t.test('what it takes part in has the version of the profile', async t => {
  const read = (capabilities?: object) => readPlatformProfile(profile('2026-08-25', { capabilities })).capabilities
  t.strictSame(read({ [CART]: [{ version: '2026-04-08' }, { version: '2026-08-25' }] }), [CART])
  t.strictSame(read({ [CART]: [{ version: '2026-04-08' }, {}], 'com.example.own': [{ version: '2026-08-25' }] }), [])
  t.strictSame(read({}), [])
  t.strictSame(read(undefined), [])
})

t.test('what is no profile, or one of another version', async t => {
  const cases: [text: string, code: string, message: string][] = [
    ['<html>', 'profile-malformed', 'The profile is not JSON.'],
    ['', 'profile-malformed', 'The profile is not JSON.'],
    ['null', 'profile-malformed', 'The profile is not one of UCP: it must be an object.'],
    ['[]', 'profile-malformed', 'The profile is not one of UCP: it must be an object.'],
    ['{"version":"2026-08-25"}', 'profile-malformed', 'The profile is not one of UCP: /ucp is missing.'],
    ['{"ucp":{"version":1}}', 'profile-malformed', 'The profile is not one of UCP: /ucp/version must be a string.'],
    [
      profile('2026-08-25', { capabilities: [CART] }),
      'profile-malformed',
      'The profile is not one of UCP: /ucp/capabilities must be an object.'
    ],
    [
      profile('2026-08-25', {}, { keys: { kid: 'a' } }),
      'profile-malformed',
      'The profile is not one of UCP: /keys must be an array.'
    ],
    [
      profile('2026-01-11', { capabilities: [] }),
      'version-unsupported',
      'Version "2026-01-11" of UCP is not supported; 2026-08-25 and 2026-04-08 are.'
    ],
    [
      profile('__proto__'),
      'version-unsupported',
      'Version "__proto__" of UCP is not supported; 2026-08-25 and 2026-04-08 are.'
    ]
  ]
  for (const [text, code, message] of cases) {
    t.throws(() => readPlatformProfile(text), Object.assign(new Problem('not-found', { detail: message }), { code }))
  }
})

t.test('addresses of profiles are compared in one form', async t => {
  for (const [text, address] of [
    ['https://platform.example/ucp.json', 'https://platform.example/ucp.json'],
    ['HTTPS://Platform.EXAMPLE:443', 'https://platform.example/'],
    ['https://platform.example/?a=1', 'https://platform.example/?a=1'],
    ['http://platform.example/', undefined],
    ['https://user@platform.example/', undefined],
    ['https://:word@platform.example/', undefined],
    ['https://platform.example/#a', undefined],
    ['https://', undefined],
    ['platform.example', undefined],
    ['file:///etc/passwd', undefined],
    ['', undefined],
    [`https://platform.example/${'a'.repeat(2048)}`, undefined]
  ] as const) {
    t.equal(profileAddress(text), address, text.slice(0, 60))
  }
})
