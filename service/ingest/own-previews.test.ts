import { systemClock } from '../../platform/clock.ts'
import { createHmac } from 'node:crypto'
import { expect, it } from 'vitest'
import { ownPreviewHeader, ownPreviewMark } from '../../contract/own-preview.ts'
import { createOwnPreviews } from './own-previews.ts'

const cid = 'a'.repeat(32)
const now = 1_800_000_000_000
const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')
const isOwn = createOwnPreviews({
  channels: { get: (asked) => (asked.startsWith('a') ? { row: { uid: 7 } } : undefined) },
  applications: { byUid: () => ({ appSecret: 'secret' }) },
  clock: { ...systemClock, now: () => now },
})
const mark = (secret = 'secret', of = cid, seconds = now / 1000) => ({
  [ownPreviewHeader]: ownPreviewMark(hmac, secret, of, seconds),
})

it('knows a mark made with the secret, for its channel and its time', () => {
  expect(isOwn(cid, mark())).toBe(true)
  expect([300, -300].map((by) => isOwn(cid, mark('secret', cid, now / 1000 + by)))).toEqual([true, true])
  expect([301, -301].map((by) => isOwn(cid, mark('secret', cid, now / 1000 + by)))).toEqual([false, false])
})

it.each([
  ['without a mark', {}],
  ['with another secret', mark('other')],
  ['of another channel', mark('secret', 'ab'.repeat(16))],
  ['with nothing behind the time', { [ownPreviewHeader]: `${now / 1000}.` }],
  ['with a digest in upper case', { [ownPreviewHeader]: mark()[ownPreviewHeader]!.toUpperCase() }],
  ['with more behind it', { [ownPreviewHeader]: `${mark()[ownPreviewHeader]}0` }],
])('takes a stranger for a viewer %s', (_what, headers) => {
  expect(isOwn(cid, headers)).toBe(false)
})

it('knows no mark for a channel that is not there', () => {
  expect(isOwn('b'.repeat(32), mark('secret', 'b'.repeat(32)))).toBe(false)
})

it('knows no mark of an application that is gone, nor one that was sent twice', () => {
  const asked: unknown[] = []
  const without = createOwnPreviews({
    channels: {
      get(of) {
        asked.push(of)
        return { row: { uid: 7 } }
      },
    },
    applications: {
      byUid(uid) {
        asked.push(uid)
        return undefined
      },
    },
    clock: { ...systemClock, now: () => now },
  })
  expect(without(cid, mark())).toBe(false)
  expect(asked).toEqual([cid, 7])
  expect(isOwn(cid, { [ownPreviewHeader]: [mark()[ownPreviewHeader]!, mark()[ownPreviewHeader]!] })).toBe(false)
})

it('asks for nothing where there is no mark or its time is over', () => {
  const fails = (): never => {
    throw new Error('asked')
  }
  const never = createOwnPreviews({
    channels: { get: fails },
    applications: { byUid: fails },
    clock: { ...systemClock, now: () => now },
  })
  expect([never(cid, {}), never(cid, mark('secret', cid, now / 1000 - 301))]).toEqual([false, false])
  expect(() => never(cid, mark())).toThrow('asked')
})

it('knows a mark for 300 s of the clock either way, counted in parts of a second', () => {
  const at = (time: number) =>
    createOwnPreviews({
      channels: { get: () => ({ row: { uid: 7 } }) },
      applications: { byUid: (uid) => (uid === 7 ? { appSecret: 'secret' } : undefined) },
      clock: { ...systemClock, now: () => time },
    })(cid, mark())
  expect([at(now + 300_000), at(now + 300_001), at(now - 300_000), at(now - 300_001)]).toEqual([
    true,
    false,
    true,
    false,
  ])
})
