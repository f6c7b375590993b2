import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { trySmallDisk } from '../../platform/testing/small-disk.ts'
import { failureOf, type Rig, scratch, startRig, until } from '../testing/rig.ts'
import { openSeatPage, signIn, type SeatPage } from './testing/seat-page.ts'

const folder = scratch()
const dataDir = path.join(folder.dir, 'data')
const pageDir = path.join(folder.dir, 'page')
const profileId = 'local'

/** A disk of its own for the companion's data; the service's lies elsewhere. Only root may have one. */
const disk = trySmallDisk(dataDir, 2)
const missing = typeof disk === 'string' ? disk : undefined
const fill = (): void => (typeof disk === 'string' ? undefined : disk.fill())
const empty = (): void => (typeof disk === 'string' ? undefined : disk.empty())
const stored = (): { seats: { accid: string; state: string; sessions: string[] }[] } =>
  JSON.parse(readFileSync(path.join(dataDir, 'seats.json'), 'utf8')) as ReturnType<typeof stored>

let rig: Rig
let roomid = 0
const start = (): Promise<Rig> => {
  const free = { host: '127.0.0.1', port: 0 }
  return startRig(dataDir, {
    pageDir,
    choices: { dataDir: path.join(folder.dir, 'service'), api: free, media: free, rtmp: free },
  })
}
/** Somebody who moderates, with a page that is open. */
const seated = async (
  accid: string,
): Promise<{ id: string; url: string; body: { accid: string; token: string }; cookie: string; page: SeatPage }> => {
  const { seat, code, token } = await rig.page.rpc.seats.invite({ profileId, roomid, accid, name: accid.toUpperCase() })
  const [url = ''] = (await rig.page.rpc.seats.board()).listener.urls
  const { status, cookie } = await signIn(url, { accid, token, code })
  expect(status).toBe(204)
  return { id: seat.id, url, body: { accid, token }, cookie, page: await openSeatPage(url, cookie) }
}

beforeAll(async () => {
  if (missing) return
  mkdirSync(pageDir)
  writeFileSync(path.join(pageDir, 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(pageDir, 'csp.json'), '{"styles":[]}')
  rig = await start()
  await until('the service', () => rig.page.newest('service')?.service.phase === 'running')
  roomid = (await rig.page.rpc.rooms.create({ profileId, accid: 'ana', name: 'night room', announcement: '' })).roomid
  await rig.page.rpc.seats.listen({ on: true, open: false, port: 0 })
})
afterAll(async () => {
  await rig?.close()
  if (typeof disk !== 'string') disk.remove()
  folder[Symbol.dispose]()
})

it.skipIf(missing)(
  'a seat that is taken back on a full disk is out at once, stays out, is told of until it is written, and is written when there is room',
  async () => {
    const mei = await seated('mei')
    fill()
    const { seat, steps } = await rig.page.rpc.seats.revoke({ id: mei.id })
    await mei.page.closed
    expect(seat).toMatchObject({ state: 'revoked', sessions: 0, pages: 0 })
    expect(steps.slice(0, 2)).toMatchObject([
      { what: 'sessions', ok: true },
      { what: 'kept', ok: false },
    ])
    expect(stored().seats.find(({ accid }) => accid === 'mei')).toMatchObject({ state: 'active' })
    expect((await signIn(mei.url, mei.body)).status).toBe(401)
    await expect(openSeatPage(mei.url, mei.cookie)).rejects.toThrow(/401/)
    const told = await until('the word of it', () => rig.page.newest('seats')?.board.unwritten)
    expect(told).toMatchObject({ names: ['MEI'], reason: { code: 'full' }, lasting: true })
    // What is not about access is refused whole, with the sentence of a full disk.
    const listening = (await rig.page.rpc.seats.board()).listener
    expect(await failureOf(rig.page.rpc.seats.forget({ id: mei.id }))).toMatchObject({ kind: 'full' })
    expect(await rig.page.rpc.seats.board()).toMatchObject({
      listener: listening,
      seats: [{ accid: 'mei', state: 'revoked' }],
    })
    empty()
    await until('it is written', () => stored().seats.find(({ accid }) => accid === 'mei')?.state === 'revoked')
    await until('nothing is told any more', () => rig.page.newest('seats')?.board.unwritten === null)
  },
)

it.skipIf(missing)('and is still out after a restart meanwhile', async () => {
  const kai = await seated('kai')
  fill()
  await rig.page.rpc.seats.revoke({ id: kai.id })
  await rig.close()
  expect(stored().seats.find(({ accid }) => accid === 'kai')).toMatchObject({ state: 'active' })
  rig = await start()
  const told = await until('the word of it', () => rig.page.newest('seats')?.board.unwritten)
  expect(told).toMatchObject({ names: ['KAI'], lasting: true })
  const { listener, seats } = await until('the page of the moderators is open again', async () => {
    const board = await rig.page.rpc.seats.board()
    return board.listener.urls.length > 0 ? board : undefined
  })
  expect(seats.find(({ accid }) => accid === 'kai')).toMatchObject({ state: 'revoked', sessions: 0 })
  await expect(openSeatPage(listener.urls[0]!, kai.cookie)).rejects.toThrow(/401/)
  empty()
  await until('it is written', () => stored().seats.find(({ accid }) => accid === 'kai')?.state === 'revoked')
})

it.skipIf(missing)(
  'who signs in on a full disk is told so, is not counted as a failure, and is let in with the same code when there is room',
  async () => {
    await rig.companion.serviceReady(40_000)
    const { code, token } = await rig.page.rpc.seats.invite({ profileId, roomid, accid: 'zoe', name: 'Zoe' })
    const [url = ''] = (await rig.page.rpc.seats.board()).listener.urls
    fill()
    // One more than may fail without a wait.
    for (let tries = 0; tries < 5; tries++)
      expect(await signIn(url, { accid: 'zoe', token, code })).toMatchObject({ status: 507, wait: 0 })
    expect((await rig.page.rpc.seats.board()).seats.find(({ accid }) => accid === 'zoe')).toMatchObject({
      state: 'invited',
      sessions: 0,
    })
    empty()
    expect((await signIn(url, { accid: 'zoe', token, code })).status).toBe(204)
  },
)
