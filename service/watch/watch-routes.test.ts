import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chatrooms, live, local, operations, recordings } from '../../contract/operations/index.ts'
import type { WatchGuest, WatchState } from '../../contract/watch.ts'
import { startRooms, type RoomRig } from '../rooms/testing/rig.ts'
import { linkUser } from '../link/testing/link-user.ts'
import { httpRequest } from '../testing/http-request.ts'
import { eventually } from '../testing/eventually.ts'
import { testCredentials } from '../testing/start-service.ts'

/** A substitute for the built page. */
function builtPage(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sidestage-watch-'))
  mkdirSync(path.join(folder, 'assets'))
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html><title>viewers</title>')
  writeFileSync(path.join(folder, 'assets', 'main-1.js'), 'export {}')
  writeFileSync(path.join(folder, 'assets', 'secret.txt'), 'no type of a page')
  return folder
}

let rig: RoomRig
let watchDir: string
let cid: string
let media: string
const nowhere = 'f'.repeat(32)
beforeAll(async () => {
  watchDir = builtPage()
  rig = await startRooms({ watchDir })
  media = rig.service.ready.mediaUrl
  cid = (await rig.call(live.create, { name: 'watched' })).ret!.cid
})
afterAll(async () => {
  await rig.close()
  rmSync(watchDir, { recursive: true })
})
const stateOf = async (channel = cid): Promise<WatchState> =>
  (await fetch(`${media}/watch/${channel}/state`)).json() as Promise<WatchState>
const askGuest = (channel = cid, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${media}/watch/${channel}/guest`, { method: 'POST', headers })

describe('the page', () => {
  it('comes with a policy of its own, for an unknown channel with 404', async () => {
    const known = await fetch(`${media}/watch/${cid}`)
    expect(known.status).toBe(200)
    expect(known.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = known.headers.get('content-security-policy')!
    expect(policy).toMatch(/^default-src 'none'; /)
    expect(policy).not.toMatch(/unsafe|\*|data:/)
    expect(policy).toContain("frame-ancestors 'none'")
    expect(await known.text()).toContain('viewers')
    expect((await fetch(`${media}/watch/${nowhere}`)).status).toBe(404)
    expect((await fetch(`${media}/watch/${cid}`, { method: 'POST' })).status).toBe(405)
  })

  it('has its files and no other ones', async () => {
    const file = await fetch(`${media}/watch/assets/main-1.js`)
    expect(file.status).toBe(200)
    expect(file.headers.get('cache-control')).toContain('immutable')
    for (const other of ['secret.txt', '..%2Findex.html', '%2e%2e/%2e%2e/etc/passwd', 'index.html'])
      expect((await fetch(`${media}/watch/assets/${other}`)).status, other).toBe(404)
  })

  it('is 404 with a sentence when it was not built', async () => {
    const bare = await startRooms()
    const answer = await fetch(`${bare.service.ready.mediaUrl}/watch/${nowhere}`)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ msg: 'the viewers’ page was not built' })
    await bare.close()
  })
})

describe('a link with a public address of its own', () => {
  it('is for pages that came by a public address; others use their own listener', async () => {
    const apart = await startRooms({
      watchDir,
      publicAddresses: { media: 'https://live.example.com', link: 'wss://chat.example.com/link' },
    })
    const roomid = await apart.room()
    const show = (await apart.call(live.create, { name: 'show' })).ret!.cid
    await apart.call(local.linkRoom, { cid: show, roomid })
    const root = `http://127.0.0.1:${apart.service.listening.media}/watch/${show}`
    const seen = async (host?: string) => {
      const [state, page] = await Promise.all(
        [`${root}/state`, root].map((url) => httpRequest(url, { method: 'GET', ...(host !== undefined && { host }) })),
      )
      return [
        (JSON.parse(state!.text) as WatchState).link,
        /connect-src [^;]*/.exec(String(page!.headers['content-security-policy']))?.[0],
      ]
    }
    expect(await seen('live.example.com')).toEqual([
      'wss://chat.example.com/link',
      "connect-src 'self' wss://chat.example.com",
    ])
    expect(await seen('live.example.com:8443')).toEqual(await seen('live.example.com'))
    expect(await seen()).toEqual(['/link', "connect-src 'self'"])
    await apart.close()
  })
})

describe('the listener of the page', () => {
  it('serves no operation, signed or not', async () => {
    for (const operation of operations)
      for (const prefix of ['', '/nimserver']) {
        const answer = await fetch(`${media}${prefix}${operation.path}`, {
          method: 'POST',
          headers: rig.sign(),
          body: '{}',
        })
        expect([operation.path, answer.status]).toEqual([operation.path, 404])
      }
  })
})

describe('the state', () => {
  it('says title and tally, and nothing of recording or keys', async () => {
    await rig.call(recordings.setAlwaysRecord, { cid, needRecord: 1 })
    const state = await stateOf()
    expect(state).toEqual({
      title: 'watched',
      live: false,
      disabled: false,
      time: expect.any(Number) as number,
      viewers: 0,
    })
    expect((await fetch(`${media}/watch/${nowhere}/state`)).status).toBe(404)
    await rig.call(live.pause, { cid })
    expect((await stateOf()).disabled).toBe(true)
    await rig.call(live.resume, { cid })
  })

  it('names the linked room with its announcement and states', async () => {
    const roomid = await rig.room()
    await rig.call(local.linkRoom, { cid, roomid })
    await rig.call(chatrooms.update, { roomid, announcement: 'call-in at nine', needNotify: false })
    await rig.call(chatrooms.muteRoom, { roomid, operator: 'cara', mute: true })
    expect(await stateOf()).toMatchObject({
      room: { roomid, name: 'the room', announcement: 'call-in at nine', open: true, muted: true, guests: true },
      link: '/link',
    })
    await rig.call(local.linkRoom, { cid })
    expect((await stateOf()).room).toBeUndefined()
  })
})

describe('a restart of the service', () => {
  it('lets guests come back by themselves as who they were, with the measures against them', async () => {
    let own = await startRooms()
    const channel = (await own.call(live.create, { name: 'again' })).ret!.cid
    const roomid = await own.room()
    await own.call(local.linkRoom, { cid: channel, roomid })
    const answer = await fetch(`${own.service.ready.mediaUrl}/watch/${channel}/guest`, { method: 'POST' })
    const { accid, token } = (await answer.json()) as WatchGuest
    const viewer = linkUser(() => own.service.ready.linkUrl, { appKey: testCredentials.appKey, accid, token })
    await viewer.online()
    await viewer.request('roomEnter', { roomid, nick: 'kestrel' })
    expect(await own.mute(roomid, accid, 3600)).toBe(200)
    await own.stop()
    await eventually(() => expect(viewer.state.at).toBe('waiting'))
    own = await startRooms({ dataDir: own.dataDir })
    // A moderator may act before the guest returns.
    expect(await own.role(roomid, accid, -2)).toBe(200)
    expect(await own.role(roomid, accid, -2, false)).toBe(200)
    await viewer.online()
    const entered = await viewer.request('roomEnter', { roomid, nick: 'kestrel' })
    expect([entered.type, entered.online]).toEqual([3, 1])
    expect(entered.mutedFor).toBeGreaterThan(3000)
    expect(viewer.states.map(({ at }) => at)).not.toContain('out')
    expect((await own.call(chatrooms.queryMembers, { roomid, accids: [accid] })).desc).toMatchObject({
      data: [{ accid, nick: 'kestrel' }],
    })
    viewer.close()
    await own.close()
  })
})

describe('guests', () => {
  let roomid: number
  beforeAll(async () => {
    roomid = await rig.room({ roles: true })
    await rig.call(local.linkRoom, { cid, roomid })
  })
  const guest = async () => {
    const answer = await askGuest()
    expect(answer.status).toBe(201)
    const { accid, token } = (await answer.json()) as WatchGuest
    return rig.login(accid, token)
  }

  it('speak in their room and may do nothing else', async () => {
    const other = await rig.room()
    const [one, two] = [await guest(), await guest()]
    await one.request('roomEnter', { roomid, nick: 'rvb' })
    expect(await two.request('roomEnter', { roomid, nick: 'kestrel' })).toMatchObject({ type: 3 })
    await one.request('roomSend', { roomid, type: 0, attach: 'first time here', clientId: 'a' })
    await expect
      .poll(() => two.of('roomMessage').filter(({ type }) => type === 0))
      .toMatchObject([{ attach: 'first time here', fromNick: 'rvb' }])

    for (const asking of [
      () => one.request('roomEnter', { roomid: other }),
      () => one.send({ scene: 'p2p', to: 'cara', type: 0, body: JSON.stringify({ msg: 'psst' }) }),
      () => one.request('watch', { accids: ['cara'] }),
      () => one.request('cards', { accids: ['cara'] }),
      () => one.request('friend', { accid: 'cara', type: 1 }),
      () => one.request('roomQueue', { roomid }),
    ])
      await expect(asking()).rejects.toMatchObject({ code: 403 })
  })

  it('are muted and blacklisted as others are', async () => {
    const muted = await guest()
    const { accid } = muted.account!
    await muted.request('roomEnter', { roomid, nick: 'loud' })
    expect(await rig.mute(roomid, accid, 60)).toBe(200)
    await expect(muted.request('roomSend', { roomid, type: 0, attach: 'again', clientId: 'm' })).rejects.toMatchObject({
      code: 403,
    })
    expect(await rig.role(roomid, accid, -1)).toBe(200)
    await expect.poll(() => muted.of('roomOut')).toMatchObject([{ reason: 'blacklisted' }])
    await expect(muted.request('roomEnter', { roomid, nick: 'loud' })).rejects.toMatchObject({ code: 13003 })
  })

  it('are put out and refused when they are turned off', async () => {
    const here = await guest()
    await here.request('roomEnter', { roomid, nick: 'here' })
    expect((await rig.call(local.guests, { roomid, allow: false })).code).toBe(200)
    await expect.poll(() => here.state).toMatchObject({ at: 'out', reason: 'ended' })
    expect((await askGuest()).status).toBe(403)
    expect((await stateOf()).room!.guests).toBe(false)
    expect((await rig.call(local.guests, { roomid, allow: true })).code).toBe(200)
    await (await guest()).request('roomEnter', { roomid, nick: 'back' })
    expect((await rig.call(local.guests, { roomid: 1, allow: true })).code).toBe(618)
    expect((await rig.other.call(local.guests, { roomid, allow: false })).code).toBe(617)
  })

  it('are made for the own page only, and none of a closed room', async () => {
    expect((await askGuest(cid, { origin: 'http://evil.example' })).status).toBe(403)
    expect((await askGuest(cid, { origin: media.replace('127.0.0.1', '127.0.0.1.evil.example') })).status).toBe(403)
    expect((await askGuest(nowhere)).status).toBe(404)
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: false })
    expect((await askGuest()).status).toBe(409)
    await rig.call(chatrooms.toggleCloseStat, { roomid, operator: 'cara', valid: true })
  })

  it('of one address are limited', async () => {
    const statuses: number[] = []
    for (let n = 0; n < 25; n++) statuses.push((await askGuest(cid, { origin: media })).status)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0)
    expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(20)
    expect(statuses.at(-1)).toBe(429)
  })
})
