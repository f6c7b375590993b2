import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { rpc } from '../../contract/rpc/index.ts'
import { secretsOf } from '../../contract/rpc/secret.ts'
import { createKnownSecrets, noteAt, notingVault } from './known-secrets.ts'
import { createRedactor, removedMark } from './redactor.ts'
import { cutMark, cutText } from '../../platform/cut-text.ts'
import { sessionVault } from '../secrets/session-vault.ts'

const home = '/home/ana maria'
const rig = (...secrets: string[]) => {
  const known = createKnownSecrets()
  for (const secret of secrets) known.note(secret)
  return { known, ...createRedactor({ secrets: () => known.all(), home }) }
}
/** What of a secret may be left beside its neighbours in Base64: less than its first and last letters. */
const inBase64 = (before: string, secret: string, after: string): string =>
  Buffer.from(before + secret + after).toString('base64')

describe('a secret that is known', () => {
  it('is taken out in every usual encoding, wherever it stands', () => {
    for (const secret of [
      randomBytes(24).toString('hex'),
      'pa ss+wörd/"&=?\\',
      '密钥-四个字',
      'täst',
      'x\u{1f600}yz',
    ]) {
      const { text } = rig(secret)
      const bytes = Buffer.from(secret)
      const spelled = [
        secret,
        encodeURIComponent(secret),
        encodeURIComponent(secret).toLowerCase(),
        encodeURIComponent(encodeURIComponent(secret)),
        new URLSearchParams({ secret }).toString().slice('secret='.length),
        JSON.stringify(secret).slice(1, -1),
        JSON.stringify(JSON.stringify({ secret })),
        bytes.toString('hex'),
        bytes.toString('hex').toUpperCase(),
      ]
      for (const each of spelled) {
        const told = text(`before ${each} after`)
        expect(told.text, each).not.toContain(secret)
        expect(told.text, each).toMatch(/^before .*\[removed\].* after$/)
        expect(told.removed, each).toBeGreaterThan(0)
      }
      for (const before of ['', 'a', 'ab', 'abc', 'Basic user:'])
        for (const form of ['base64', 'base64url'] as const) {
          const spelling = Buffer.from(`${before}${secret}#`).toString(form)
          const { text: left } = text(spelling)
          expect(left, spelling).toContain(removedMark)
          const rest = left.split(removedMark).map((part) => Buffer.from(part, form).toString('utf8'))
          expect(rest.join(''), spelling).not.toContain(secret.slice(0, 3))
        }
    }
    expect(inBase64('', 'x', '')).toBe('eA==')
  })

  it('is taken out of names, lists and texts of plain data, and figures stay', () => {
    const { value } = rig('canary-7f3a')
    const told = value({
      'canary-7f3a': 1,
      list: ['a canary-7f3a b', { deep: 'canary-7f3a' }],
      port: 8710,
      on: true,
      none: null,
    })
    expect(told).toEqual({
      value: {
        [removedMark]: 1,
        list: [`a ${removedMark} b`, { deep: removedMark }],
        port: 8710,
        on: true,
        none: null,
      },
      removed: 3,
    })
  })

  it('is the longer one where one is the beginning of another, and nothing of under four letters', () => {
    const { text, known } = rig('abcd', 'abcdef', 'xyz')
    expect([...known.all()]).toEqual(['abcd', 'abcdef'])
    expect(text('abcdefg abcde xyz')).toEqual({ text: `${removedMark}g ${removedMark}e xyz`, removed: 2 })
  })

  it('is every part of an entry, of a push address and of a key in lines; what an entry is for is no secret', async () => {
    const known = createKnownSecrets()
    const vault = notingVault(sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }), known)
    const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQ'.repeat(10)}\n${'q83vEj'.repeat(10)}\n-----END PRIVATE KEY-----\n`
    await vault.set(
      'a',
      JSON.stringify({ appSecret: 'the-app-secret', liveUrl: 'https://live.example', host: '10.0.0.7' }),
    )
    await vault.set('b', key)
    const given = (procedure: typeof rpc.seats.invite | typeof rpc.rooms.act | typeof rpc.obs.state, said: object) =>
      noteAt(secretsOf(procedure['~orpc'].outputSchema!), said, known)
    given(rpc.seats.invite, {
      token: 'token-of-a-seat',
      code: 'code-of-a-seat',
      link: 'https://192.168.1.4:1/#code=code-of-a-seat',
    })
    given(rpc.rooms.act, { taken: { key: 'song', value: 'song' } })
    given(rpc.obs.state, { phase: 'connected', password: 'session' })
    known.note('rtmp://127.0.0.1:1935/live/cid?wsSecret=0123456789abcdef&wsTime=1798761600')
    const { text } = createRedactor({ secrets: () => known.all(), home })
    const lines = `the-app-secret ${'q83vEj'.repeat(10)} token-of-a-seat code-of-a-seat 0123456789abcdef`
    expect(text(lines)).toEqual({ text: Array.from({ length: 5 }, () => removedMark).join(' '), removed: 5 })
    expect(text('https://live.example 10.0.0.7 1798761600 song session').removed).toBe(0)
    expect(await vault.get('b')).toBe(key)
  })

  it('is known for as long as the vault has it, whatever else passes', async () => {
    const known = createKnownSecrets()
    const vault = notingVault(sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' }), known)
    await vault.set('a', JSON.stringify({ appSecret: 'the-app-secret' }))
    for (let n = 0; n < 6_000; n++) known.note(`secret-number-${n}`)
    expect(createRedactor({ secrets: () => known.all(), home }).text('the-app-secret').removed).toBe(1)
  })

  it('is one of 5000 at most; a text is gone through once for all of them', () => {
    const known = createKnownSecrets()
    for (let n = 0; n < 5_010; n++) known.note(`secret-number-${n}`)
    expect([...known.all()].length).toBe(5_000)
    const { text } = createRedactor({ secrets: () => known.all(), home })
    expect(text('secret-number-5009 secret-number-3').removed).toBe(1)
  })
})

describe('a text that was cut within a secret', () => {
  const secret = 'pa ss+wörd/"&=?-0123456789abcdef'
  it('loses the begin of one that is known, in every encoding and wherever the cut was', () => {
    const { text } = rig(secret)
    for (const spelling of [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('hex'),
    ])
      for (let kept = 4; kept < spelling.length; kept++)
        expect(
          text(cutText(`before ${spelling} ${'x'.repeat(40)}`, 'before '.length + kept + cutMark.length)),
          `${kept}`,
        ).toEqual({
          text: `before ${removedMark}${cutMark}`,
          removed: 1,
        })
  })

  it('loses what would have been found by the letters behind the cut, and is told whole where there was none', () => {
    const { text } = rig(secret)
    for (const [said, told] of [
      [`x https://user:pass${cutMark}`, `x https://${removedMark}${cutMark}`],
      [`GET /media/${'A'.repeat(31)}${cutMark}`, `GET /media/${removedMark}${cutMark}`],
      [`x eyJhbGciOiJI.eyJzd${cutMark}`, `x ${removedMark}${cutMark}`],
      [`x wsSecret=ab${cutMark}`, `x wsSecret=${removedMark}${cutMark}`],
      [`before${cutMark}`, `before${cutMark}`],
      ['before pa ss+', 'before pa ss+'],
    ])
      expect(text(said ?? '')).toEqual({ text: told, removed: said === told ? 0 : 1 })
  })
})

describe('a text without a known secret', () => {
  const { text } = rig()
  it('loses what looks like one', () => {
    for (const [said, told] of [
      ['push of 1?wsSecret=abc&wsTime=17 refused', `push of 1?wsSecret=${removedMark}&wsTime=17 refused`],
      ['{"token":"abc","accid":"ana"}', `{"token":"${removedMark}","accid":"ana"}`],
      ['"{\\"appSecret\\":\\"abc\\"}"', `"{\\"appSecret\\":\\"${removedMark}\\"}"`],
      ["accessToken: 'abc'", `accessToken: '${removedMark}'`],
      ['CheckSum: 0a1b Nonce: 7', `CheckSum: ${removedMark} Nonce: 7`],
      ['Authorization: Basic YTpi more\nnext', `Authorization: ${removedMark}\nnext`],
      ['set-cookie: seat=abc; Path=/', `set-cookie: ${removedMark}`],
      ['rtmp://127.0.0.1:1935/live/cid?x=1 failed', `rtmp://127.0.0.1:1935/live/${removedMark} failed`],
      ['at rtmp://127.0.0.1:1935/live.', 'at rtmp://127.0.0.1:1935/live.'],
      ['https://user:pass@host/x', `https://${removedMark}@host/x`],
      ['http://127.0.0.1:1/#token=abc', `http://127.0.0.1:1/#token=${removedMark}`],
      ['https://10.0.0.2:1/#code=abc', `https://10.0.0.2:1/#code=${removedMark}`],
      [`GET /media/${'A'.repeat(32)}/1.mp4`, `GET /media/${removedMark}/1.mp4`],
      ['x eyJhbGciOiJI.eyJzdWIiOiIx.abc-_ y', `x ${removedMark} y`],
      ['-----BEGIN EC PRIVATE KEY-----\nMHcC\n-----END EC PRIVATE KEY-----', removedMark],
    ])
      expect(text(said ?? '')).toEqual({ text: told, removed: said === told ? 0 : 1 })
  })

  it('keeps what only sounds like one', () => {
    for (const said of [
      '{"code":609,"kept":"keychain"}',
      'tokens: 5',
      'no secret is kept for this profile',
      'key frames every 2 s',
      '13:42:10',
      'GET /app/channel',
    ])
      expect(text(said)).toEqual({ text: said, removed: 0 })
  })

  it('is looked for from the begin of each name only, so that a name of a million parts takes no longer than other text', () => {
    const long = 'a-'.repeat(500_000)
    expect(text(long)).toEqual({ text: long, removed: 0 })
    expect(text('x-old-sign_key=abc').removed).toBe(1)
  })

  it('tells no home and of addresses beyond this network only where they begin', () => {
    for (const [said, told] of [
      ['/home/ana maria/data and /home/bo/x, /Users/mei/y', '~/data and ~/x, ~/y'],
      ['C:\\Users\\Ana\\AppData', '~\\AppData'],
      ['{"at":"C:\\\\Users\\\\Ana\\\\AppData"}', '{"at":"~\\\\AppData"}'],
      [
        'from 203.0.113.77:5000 and 127.0.0.1, 10.1.2.3, 192.168.7.7',
        'from 203.0.x.x:5000 and 127.0.0.1, 10.1.2.3, 192.168.7.7',
      ],
      ['Chrome 138.0.7204.100, 1.300.2.3', 'Chrome 138.0.7204.100, 1.300.2.3'],
      ['from 2001:db8:aa:bb::77 and ::1 and fe80::1', 'from 2001:db8:x and ::1 and fe80::1'],
    ])
      expect(text(said ?? '').text).toBe(told)
  })
})

describe('a member of plain data', () => {
  const { value } = rig()
  it.each(['token', 'appSecret', 'password', 'passwd', 'sign_key', 'AppKey', 'streamKey', 'pushUrl', 'CheckSum'])(
    'that is named %s loses its text, but no figure and no empty text',
    (name) => {
      expect(value({ [name]: 'abc', deep: { [`my-${name}`]: 'x' } })).toEqual({
        value: { [name]: removedMark, deep: { [`my-${name}`]: removedMark } },
        removed: 2,
      })
      expect(value({ [name]: 7 })).toEqual({ value: { [name]: 7 }, removed: 0 })
      expect(value({ [name]: '', [`${name}s`]: 'kept' })).toEqual({
        value: { [name]: '', [`${name}s`]: 'kept' },
        removed: 0,
      })
      expect(value({ [name]: { of: 'kept' } })).toEqual({ value: { [name]: { of: 'kept' } }, removed: 0 })
    },
  )
})

it('addresses of the own networks stay, and those beyond them keep their network', () => {
  const { text } = rig()
  for (const near of ['0.0.0.0', '10.255.1.2', '127.9.9.9', '192.168.0.1', '172.16.0.1', '172.31.9.9', '169.254.1.2'])
    expect(text(near).text).toBe(near)
  for (const far of ['11.1.2.3', '192.169.0.1', '172.15.0.1', '172.32.0.1', '169.253.1.2'])
    expect(text(far).text).toBe(`${far.split('.').slice(0, 2).join('.')}.x.x`)
  for (const near of ['fd00::1', 'fe80::1', '::1']) expect(text(near).text).toBe(near)
})
