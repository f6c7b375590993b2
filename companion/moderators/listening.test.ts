import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { SeatBoard } from '../../contract/rpc/index.ts'
import { systemClock } from '../../platform/clock.ts'
import { answeringClient } from '../rooms/testing/answering-client.ts'
import type { Relay } from '../relay/relay.ts'
import { sessionVault } from '../secrets/session-vault.ts'
import { failureOf, scratch, until } from '../testing/rig.ts'
import { makeCertificate, ownAddresses } from './certificate.ts'
import { type Moderators, openModerators } from './moderators.ts'
import { signIn } from './testing/seat-page.ts'
import { isLocal } from '../profiles/profiles.ts'

let folder: ReturnType<typeof scratch>
let vault: ReturnType<typeof sessionVault>
let boards: SeatBoard[]
let logged: string[]
let opened: Moderators[]
beforeEach(() => {
  folder = scratch()
  vault = sessionVault({ kind: 'session', reason: 'chosen', detail: 'test' })
  ;[boards, logged, opened] = [[], [], []]
  mkdirSync(path.join(folder.dir, 'page'))
  writeFileSync(path.join(folder.dir, 'page', 'index.html'), '<!doctype html><div id="app"></div>')
  writeFileSync(path.join(folder.dir, 'page', 'csp.json'), '{"styles":[]}')
})
afterEach(async () => {
  for (const each of opened) await each.close()
  folder[Symbol.dispose]()
})
/** Moderators of a service that does everything, without one. */
async function open(hasPage = true): Promise<Moderators> {
  const { client } = answeringClient(() => ({ uinfos: [{ accid: 'mei' }] }))
  const token = () => Promise.resolve({ token: 'the token' })
  const one = await openModerators({
    dataDir: folder.dir,
    clock: systemClock,
    random: (bytes) => Buffer.alloc(bytes, 7),
    vault,
    entryName: (name) => `entry:${name}`,
    client: () => Promise.resolve(client),
    isExtended: isLocal,
    accounts: { createAccount: token, refreshToken: token },
    token: () => Promise.resolve('the token'),
    creator: () => Promise.resolve('ana'),
    channel: () => Promise.resolve(null),
    completed: () => undefined,
    pageDir: hasPage ? path.join(folder.dir, 'page') : undefined,
    relay: {} as Relay,
    changed: (board) => void boards.push(board),
    log: (line) => void logged.push(line),
  })
  opened.push(one)
  return one
}
const served = () => ({ end: () => undefined })
const off = { on: false, open: false, port: 0 }

it('is off at first, and tells that', async () => {
  const moderators = await open()
  await moderators.resume(served)
  expect(moderators.board()).toEqual({
    listener: {
      phase: 'off',
      open: false,
      port: 8720,
      urls: [],
      reason: null,
      certificate: 'none',
      fingerprint: null,
      certificateUntil: null,
      failures: 0,
    },
    seats: [],
    unwritten: null,
  })
  expect(boards.at(-1)).toEqual(moderators.board())
})

it('listens for this computer only where it is not open, and stops', async () => {
  const moderators = await open()
  const { phase, port, urls } = await moderators.listen({ ...off, on: true })
  expect([phase, urls]).toEqual(['listening', [`http://127.0.0.1:${port}`]])
  expect((await signIn(urls[0]!, {})).status).toBe(401)
  expect(boards.at(-1)?.listener).toMatchObject({ phase: 'listening', failures: 1 })
  expect(await moderators.listen(off)).toMatchObject({ phase: 'off', urls: [] })
  await expect(signIn(urls[0]!, {})).rejects.toThrow(/ECONNREFUSED/)
})

it('listens again on its port after a restart, and not before it is resumed', async () => {
  const first = await open()
  const { port } = await first.listen({ ...off, on: true })
  await first.listen({ ...off, on: true, port })
  await first.close()
  opened = []
  const second = await open()
  expect(second.board().listener).toMatchObject({ phase: 'off', port })
  await second.resume(served)
  expect(second.board().listener).toMatchObject({ phase: 'listening', port, urls: [`http://127.0.0.1:${port}`] })
  expect(boards.at(-1)?.listener.phase).toBe('listening')
})

it('says that a shell without a page has nothing to serve', async () => {
  const moderators = await open(false)
  expect(await moderators.listen({ ...off, on: true })).toMatchObject({
    phase: 'failed',
    reason: { code: 'noPage' },
    urls: [],
  })
  expect(logged.join()).toContain('no page to serve')
  expect(await moderators.listen(off)).toMatchObject({ phase: 'off', reason: null })
})

it('is open to other computers with a certificate only, under their addresses, with TLS', async () => {
  const moderators = await open()
  expect(await failureOf(moderators.listen({ on: true, open: true, port: 0 }))).toMatchObject({
    kind: 'certificate',
    reason: { code: 'noCertificate' },
  })
  expect(moderators.board().listener.open).toBe(false)
  const made = await moderators.makeCertificate({ names: ['stage.example'] })
  expect(made).toMatchObject({ phase: 'off', certificate: 'made' })
  expect(made.certificateUntil).toBeGreaterThan(Date.now() + 364 * 86_400_000)
  const { urls, port } = await moderators.listen({ on: true, open: true, port: 0 })
  expect(urls).toEqual([...ownAddresses(), '127.0.0.1'].map((host) => `https://${host}:${port}`))
})

it('tells the facts of its certificate after a restart', async () => {
  const first = await open()
  const { fingerprint } = await first.makeCertificate({ names: [] })
  await first.close()
  opened = []
  const second = await open()
  expect(second.board().listener).toMatchObject({ certificate: 'made', fingerprint })
  await second.close()
  opened = []
  await vault.delete('entry:seats-certificate-key')
  const third = await open()
  expect(third.board().listener).toMatchObject({ certificate: 'made', fingerprint: null, certificateUntil: null })
  expect(await failureOf(third.listen({ on: true, open: true, port: 0 }))).toMatchObject({
    kind: 'certificate',
    reason: { code: 'noKey' },
  })
})

it('takes a certificate that is supplied, refuses one with another key or that has ended', async () => {
  const moderators = await open()
  const now = Date.now()
  const [one, other] = [await makeCertificate([], now), await makeCertificate([], now)]
  const ended = await makeCertificate([], now - 366 * 86_400_000)
  const { fingerprint } = await moderators.useCertificate(one)
  for (const [wrong, code] of [
    [{ cert: other.cert, key: one.key }, 'otherKey'],
    [ended, 'ended'],
  ] as const)
    expect(await failureOf(moderators.useCertificate(wrong))).toMatchObject({ kind: 'certificate', reason: { code } })
  expect(moderators.board().listener).toMatchObject({ certificate: 'supplied', fingerprint })
  expect(await vault.get('entry:seats-certificate-key')).toBe(one.key)
})

it('hands an invitation over with links while it listens, and with none while it does not', async () => {
  const moderators = await open()
  const without = await moderators.invite('local', 7, 'mei', 'Mei')
  expect(without).toMatchObject({
    link: null,
    appLink: null,
    token: 'the token',
    seat: { accid: 'mei', state: 'invited' },
  })
  const { urls } = await moderators.listen({ ...off, on: true })
  const { code, link, appLink } = await moderators.inviteAgain(without.seat.id)
  expect(link).toBe(`${urls[0]}/#code=${code}`)
  expect(appLink).toBe(`sidestage://join?host=${new URL(urls[0]!).host}&accid=mei&code=${code}`)
  const { fingerprint } = await moderators.makeCertificate({ names: [] })
  await moderators.listen({ on: true, open: true, port: 0 })
  const secured = await moderators.inviteAgain(without.seat.id)
  expect(secured.appLink?.toLowerCase().replaceAll('%3a', '').replaceAll(':', '')).toContain(
    fingerprint!.toLowerCase().replaceAll(':', ''),
  )
})

/** The status of a look at the session at this address, asked for under a name. */
const statusUnder = (url: string, name: string): Promise<number> => {
  const at = new URL('/session', url)
  const secured = at.protocol === 'https:'
  return new Promise((resolve, reject) => {
    const request = (secured ? https : http).get(
      at,
      { headers: { host: `${name}:${at.port}` }, ...(secured && { rejectUnauthorized: false }) },
      (response) => {
        response.resume()
        resolve(response.statusCode ?? 0)
      },
    )
    request.on('error', reject)
  })
}

it('answers where it is open to the names of its certificate and its addresses, and to no other name', async () => {
  const moderators = await open()
  await moderators.makeCertificate({ names: ['stage.example'] })
  const here = (await moderators.listen({ ...off, on: true })).port
  expect(await statusUnder(`http://127.0.0.1:${here}`, 'localhost')).toBe(401)
  expect(await statusUnder(`http://127.0.0.1:${here}`, 'stage.example')).toBe(421)
  const { port } = await moderators.listen({ on: true, open: true, port: 0 })
  const at = `https://127.0.0.1:${port}`
  for (const name of ['stage.example', 'localhost', '127.0.0.1', ...ownAddresses()])
    expect(await statusUnder(at, name), name).toBe(401)
  expect(await statusUnder(at, 'other.example')).toBe(421)
})

it('opens eight pages of one moderator and no ninth, and one again when another is closed', async () => {
  const moderators = await open()
  let ended = 0
  await moderators.resume(() => ({ end: () => void ended++ }))
  const { urls } = await moderators.listen({ ...off, on: true })
  const [url = ''] = urls
  const { code, token } = await moderators.invite('local', 7, 'mei', 'Mei')
  const { cookie } = await signIn(url, { accid: 'mei', token, code })
  const page = async (): Promise<WebSocket | number> => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/rpc`, { headers: { cookie, origin: url } })
    socket.on('error', () => undefined)
    return new Promise((resolve) => {
      socket.once('open', () => resolve(socket))
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    })
  }
  const pages: (WebSocket | number)[] = []
  for (let count = 0; count < 9; count++) pages.push(await page())
  expect(pages.map((one) => (typeof one === 'number' ? one : 'open'))).toEqual([...Array(8).fill('open'), 503])
  expect(moderators.board().seats[0]).toMatchObject({ pages: 8, sessions: 1 })
  ;(pages[0] as WebSocket).close()
  await until('one page less', () => moderators.board().seats[0]?.pages === 7)
  expect(typeof (await page())).toBe('object')
  // A seat that is taken back ends them all.
  await moderators.revoke(moderators.board().seats[0]!.id)
  expect(ended).toBe(8)
  expect(await page()).toBe(401)
})
