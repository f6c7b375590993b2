import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { readFingerprint, readHost, readInvitation, shownFingerprint, writeInvitation } from './invitation.ts'

const fingerprint = 'ab'.repeat(32)
const whole = { host: '192.0.2.7:8720', secured: true, fingerprint, code: 'abcDEF_1-', accid: 'mei@x' }

it('reads what was written, also by others: in another order, with a slash, with colons in the fingerprint', () => {
  expect(writeInvitation(whole)).toBe(
    `sidestage://join?host=192.0.2.7:8720&accid=mei@x&code=abcDEF_1-&fp=${fingerprint}`,
  )
  for (const link of [
    whole,
    { ...whole, accid: null },
    { ...whole, host: '[2001:db8::1]:8720' },
    { ...whole, secured: false, fingerprint: null, code: null },
  ])
    expect(readInvitation(writeInvitation(link))).toEqual(link)
  expect(
    readInvitation(
      `sidestage://join/?fp=${shownFingerprint(fingerprint)}&code=abcDEF_1-&accid=mei%40x&host=192.0.2.7%3A8720`,
    ),
  ).toEqual(whole)
})

it('reads the link for a browser, which names no fingerprint', () => {
  expect(readInvitation('https://Stage.Example:8720/#code=abcdefgh')).toEqual({
    host: 'stage.example:8720',
    secured: true,
    fingerprint: null,
    code: 'abcdefgh',
    accid: null,
  })
  expect(readInvitation('http://127.0.0.1:8720/')).toMatchObject({ host: '127.0.0.1:8720', secured: false, code: null })
  expect(readInvitation('https://stage.example/')).toMatchObject({ host: 'stage.example:443' })
})

it('reads nothing else', () => {
  for (const text of [
    '',
    'sidestage://join',
    'sidestage://join?',
    'sidestage://join?host=',
    'sidestage://join?host=x:0',
    'sidestage://join?host=x:65536',
    'sidestage://join?host=a b:1',
    'sidestage://join?host=user@x:1',
    'sidestage://join?host=x:1&fp=abcd',
    'sidestage://join?host=x:1&fp=',
    'sidestage://join?host=x:1&code=short',
    'sidestage://join?host=x:1&accid=A/B',
    'sidestage://join?host=x:1#y',
    ' sidestage://join?host=x:1',
    'https://x:1/path',
    'https://x:1/?host=y',
    'https://user:pass@x:1/',
    'https://x:1/#token=abcdefgh',
    'ftp://x:1/',
    'javascript:alert(1)',
    `sidestage://join?host=x:1&code=${'a'.repeat(2_048)}`,
  ])
    expect(readInvitation(text), text).toBeUndefined()
  for (const other of [undefined, null, 7, {}, [writeInvitation(whole)]]) expect(readInvitation(other)).toBeUndefined()
})

it('takes only hosts and fingerprints as they are kept from anything that it reads', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.webUrl(),
        fc.string().map((tail) => `sidestage://join?host=x:1&${tail}`),
      ),
      (text) => {
        const link = readInvitation(text)
        if (!link) return
        expect(readHost(link.host)).toBe(link.host)
        if (link.fingerprint !== null) expect(readFingerprint(link.fingerprint)).toBe(link.fingerprint)
        expect(link.secured || link.fingerprint === null).toBe(true)
      },
    ),
    { numRuns: 2_000 },
  )
})
