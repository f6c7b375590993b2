import { manualWallClock } from '../../platform/testing/manual-clock.ts'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import type { WatchGuest } from '../../contract/watch.ts'
import { startRooms, type RoomRig } from '../rooms/testing/rig.ts'

import { openStore } from '../storage/testing/open-store.ts'
import { cookieAge, createGuestCookies, guestCookie, loadGuestSecret, signed } from './guest-cookie.ts'

let rig: RoomRig
let roomid: number
let cid: string
beforeAll(async () => {
  rig = await startRooms()
  cid = (await rig.call(live.create, { name: 'watched', type: 0 })).ret!.cid
  roomid = await rig.room()
  await rig.call(local.linkRoom, { cid, roomid })
})
afterAll(() => rig.close())

interface Visit extends WatchGuest {
  readonly cookie: string
  readonly header: string
}
/** A visit of the page with this cookie. */
async function visit(cookie = '', channel = cid): Promise<Visit> {
  const answer = await fetch(`${rig.service.ready.mediaUrl}/watch/${channel}/guest`, {
    method: 'POST',
    headers: cookie === '' ? {} : { cookie },
  })
  expect(answer.status).toBe(201)
  const header = answer.headers.get('set-cookie')!
  return { ...((await answer.json()) as WatchGuest), header, cookie: header.split(';')[0]! }
}

it('keeps a browser the same guest, in a cookie that no script reads', async () => {
  const first = await visit()
  expect(first.header).toMatch(new RegExp(`^${guestCookie}=[^;]+; Path=/; Max-Age=15552000; HttpOnly; SameSite=Lax$`))
  const again = await visit(`other=1; ${first.cookie}; more=2`)
  expect([again.accid, again.token]).toEqual([first.accid, first.token])
  expect((await visit()).accid).not.toBe(first.accid)
})

it('is another guest in the room of another channel', async () => {
  const other = (await rig.call(live.create, { name: 'other', type: 0 })).ret!.cid
  await rig.call(local.linkRoom, { cid: other, roomid: await rig.room() })
  const first = await visit()
  expect((await visit(first.cookie, other)).accid).not.toBe(first.accid)
  expect((await visit(first.cookie)).accid).toBe(first.accid)
})

it('lets tabs of one guest stand beside each other', async () => {
  const { accid, token } = await visit()
  const tabs = [await rig.login(accid, token, 'one'), await rig.login(accid, token, 'two')]
  for (const tab of tabs) await tab.request('roomEnter', { roomid })
  await tabs[1]!.request('roomSend', { roomid, type: 0, attach: 'from the other tab', clientId: 'x' })
  await expect.poll(() => tabs[0]!.of('roomMessage').some(({ attach }) => attach === 'from the other tab')).toBe(true)
})

it('holds measures over tabs, reloads, days and a restart, and they can be lifted when the guest is gone', async () => {
  const first = await visit()
  expect(await rig.role(roomid, first.accid, -1)).toBe(200)
  const enter = async ({ accid, token }: WatchGuest): Promise<unknown> =>
    (await rig.login(accid, token, randomBytes(4).toString('hex'))).request('roomEnter', { roomid }).then(
      () => 'inside',
      (failure: unknown) => (failure as { code: number }).code,
    )
  expect(await enter(await visit(first.cookie))).toBe(13003)
  await rig.stop()
  const { dataDir } = rig
  // Two days later the guest of that day is gone.
  const clock = manualWallClock(Date.now() + 2 * 86_400_000)
  rig = await startRooms({ dataDir, clock })
  expect((await rig.call(local.blacklisted, { roomid })).ret!.list.map(({ accid }) => accid)).toEqual([first.accid])
  const later = await visit(first.cookie)
  expect(later.accid).toBe(first.accid)
  expect(later.token).not.toBe(first.token)
  expect(await enter(later)).toBe(13003)
  clock.advance(86_400_000)
  expect(await rig.role(roomid, first.accid, -1, false)).toBe(200)
  expect(await enter(await visit(later.cookie))).toBe('inside')
})

it('takes no cookie that was changed, is of another secret, or is too old', () => {
  const clock = manualWallClock()
  const cookies = createGuestCookies({ secret: 'one', clock, random: randomBytes })
  const written = cookies.write(cookies.make(), true)
  const value = written.split(';')[0]!
  expect(written.endsWith('; Secure')).toBe(true)
  expect(cookies.read(value)).toMatch(/^[0-9a-f]{24}$/)
  for (const wrong of [
    '',
    `${guestCookie}=`,
    value.slice(0, -1),
    `${value}0`,
    value.replace('=1.', '=2.'),
    value.replace(/[0-9a-f](?=\.[0-9a-z]+\.)/, 'x'),
  ])
    expect([wrong, cookies.read(wrong)]).toEqual([wrong, undefined])
  const flipped = value.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  expect(cookies.read(flipped)).toBeUndefined()
  expect(createGuestCookies({ secret: 'two', clock, random: randomBytes }).read(value)).toBeUndefined()
  clock.advance(cookieAge * 1000)
  expect(cookies.read(value)).toBeUndefined()
})

it('signs with a secret that is made once and is the same after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sidestage-guest-key-'))
  const open = async (fill: number) => {
    const store = await openStore(folder)
    const secret = await loadGuestSecret(store.db, (bytes) => Buffer.alloc(bytes, fill))
    await store.close()
    return secret
  }
  expect([await open(1), await open(2)]).toEqual(['01'.repeat(32), '01'.repeat(32)])
  rmSync(folder, { recursive: true })
})

it('signs for one purpose what is no signature for another one', () => {
  expect(signed('secret', 'cookie', 'x')).toMatch(/^[0-9a-f]{64}$/)
  expect(signed('secret', 'cookie', 'x')).toBe(signed('secret', 'cookie', 'x'))
  expect(
    new Set([signed('secret', 'cookie', 'x'), signed('secret', 'token', 'x'), signed('other', 'cookie', 'x')]).size,
  ).toBe(3)
})

it('knows a browser until its cookie is 180 days old, and by the valid one of several', () => {
  const clock = manualWallClock()
  const cookies = createGuestCookies({ secret: 'one', clock, random: (bytes) => Buffer.alloc(bytes, 7) })
  expect(cookies.make()).toBe('07'.repeat(12))
  const value = cookies.write('ab'.repeat(12), false).split(';')[0]!
  clock.advance(cookieAge * 1000 - 1000)
  expect([cookies.read(value), cookies.read(`${guestCookie}=old; ${value}`), cookies.read(`other-${value}`)]).toEqual([
    'ab'.repeat(12),
    'ab'.repeat(12),
    undefined,
  ])
  expect(cookies.read()).toBeUndefined()
})

it('is written for 180 days with the time in base 36, and secure only for TLS', () => {
  expect([guestCookie, cookieAge]).toEqual(['sidestage-guest', 15_552_000])
  const clock = manualWallClock(1_800_000_000_999)
  const cookies = createGuestCookies({ secret: 'one', clock, random: randomBytes })
  const identity = 'ab'.repeat(12)
  const at = (1_800_000_000).toString(36)
  const value = `1.${identity}.${at}.${signed('one', 'cookie', `${identity} ${at}`)}`
  const attributes = 'Path=/; Max-Age=15552000; HttpOnly; SameSite=Lax'
  expect(cookies.write(identity, false)).toBe(`sidestage-guest=${value}; ${attributes}`)
  expect(cookies.write(identity, true)).toBe(`sidestage-guest=${value}; ${attributes}; Secure`)
})

it('is read among others with and without spaces, and never by a name that only begins or ends like its own', () => {
  const cookies = createGuestCookies({ secret: 'one', clock: manualWallClock(), random: randomBytes })
  const identity = cookies.make()
  const value = cookies.write(identity, false).split(';')[0]!
  for (const header of [value, `a=b;${value};c=d`, `  ${value}  `, `a; ${value}`])
    expect(cookies.read(header), header).toBe(identity)
  for (const header of [
    value.replace('guest=', 'guest2='),
    value.replace('sidestage', 'Sidestage'),
    value.replace('=', ''),
  ])
    expect(cookies.read(header), header).toBeUndefined()
})
