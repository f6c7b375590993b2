import { createHmac, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { ownPreviewMark } from '../../contract/own-preview.ts'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../client/client.ts'
import { createTickets, type TicketOwner } from '../relay/tickets.ts'
import { failureOf } from '../testing/rig.ts'
import { createPreviews } from './previews.ts'

const cid = 'c'.repeat(32)
const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('hex')
const secretName = 'a'.repeat(32)

interface Served {
  readonly flv?: string
  readonly hls?: string
  readonly isReady?: boolean
  readonly liveUrl?: string
  /** The address of every name. */
  readonly reached?: string
  /** Addresses of the embedded service. */
  readonly addresses?: { readonly media: string; readonly publicMedia: string | null }
}

function stage({
  flv = '',
  hls = '',
  addresses,
  isReady = true,
  liveUrl = 'http://127.0.0.1:8710',
  reached = '127.0.0.1',
}: Served = {}) {
  const clock = manualClock()
  const tickets = createTickets({ clock, random: randomBytes })
  const calls: unknown[] = []
  const call = (_operation: unknown, args: unknown) => {
    calls.push(args)
    return Promise.resolve({ ret: { httpPullUrl: flv, hlsPullUrl: hls } })
  }
  const media = 'http://127.0.0.1:8711'
  const previews = createPreviews({
    clock,
    tickets,
    profiles: {
      service: () => Promise.resolve({ liveUrl, appSecret: 's' }),
      find: (id: string) => ({ media: id === 'extended' ? 'https://media.example' : null }),
      isExtended: (id: string) => id !== 'p',
    } as never,
    client: () => Promise.resolve({ call } as unknown as Client),
    recordings: {
      file: (_profile: string, vid: number) =>
        Promise.resolve({ name: `${vid}.mp4`, url: () => Promise.resolve(new URL(`${media}/r/${vid}.mp4`)) }),
    },
    supervisor: { ready: () => (isReady ? { mediaUrl: media } : undefined), state: () => ({ addresses }) } as never,
    resolve: () => Promise.resolve([reached]),
  })
  const page = new AbortController()
  const owner: TicketOwner = { closed: page.signal }
  /** The ticket of a path. */
  const ticketOf = (path: string | null) => tickets.use(/^\/media\/([^/]+)\//.exec(path ?? '')?.[1] ?? '')
  return { previews, owner, page, ticketOf, calls, clock }
}

it('a preview has a path for each stream that the service names, and none for others', async () => {
  const both = stage({ flv: 'http://127.0.0.1:8711/live/x.flv', hls: 'https://127.0.0.1:8711/live/x.m3u8' })
  const { flv, hls } = await both.previews.preview('local', cid, both.owner)
  expect(both.calls).toEqual([{ cid }])
  expect(flv).toMatch(new RegExp(`^/media/[\\w-]{32}/${cid}\\.flv$`))
  expect(hls).toMatch(/^\/media\/[\w-]{32}\/hls\/playlist\.m3u8$/)
  expect(both.ticketOf(flv)).toMatchObject({ profileId: 'local', cid })
  expect(both.ticketOf(flv)?.flv?.href).toBe('http://127.0.0.1:8711/live/x.flv')
  expect(both.ticketOf(hls)?.hls?.href).toBe('https://127.0.0.1:8711/live/x.m3u8')
  const none = stage({ flv: 'rtmp://127.0.0.1/live/x' })
  expect(await none.previews.preview('local', cid, none.owner)).toEqual({ flv: null, hls: null })
})

it('a preview is read from this computer where viewers come through a proxy', async () => {
  const addresses = { media: 'http://127.0.0.1:8711', publicMedia: 'https://live.example.com/sub' }
  const { previews, owner, ticketOf } = stage({ flv: 'https://live.example.com/sub/live/x.flv', addresses })
  const { flv } = await previews.preview('local', cid, owner)
  expect(ticketOf(flv)?.flv?.href).toBe('http://127.0.0.1:8711/live/x.flv')
  const hosted = await previews.preview('p', cid, owner)
  expect(ticketOf(hosted.flv)?.flv?.href).toBe('https://live.example.com/sub/live/x.flv')
})

it('own previews are marked, so that they are no viewers; those of a service without extensions are not', async () => {
  const { previews, owner, ticketOf } = stage({ flv: 'http://127.0.0.1:8711/live/x.flv' })
  expect(ticketOf((await previews.preview('local', cid, owner)).flv)?.mark?.()).toMatch(/\w{16}/)
  expect(ticketOf((await previews.preview('extended', cid, owner)).flv)?.mark?.()).toMatch(/\w{16}/)
  expect(ticketOf((await previews.preview('p', cid, owner)).flv)?.mark).toBeUndefined()
})

it('only an own service elsewhere may lead to another node', async () => {
  const { previews, owner, ticketOf } = stage({ flv: 'http://127.0.0.1:8711/live/x.flv' })
  const isLed = async (profileId: string) => [
    ticketOf((await previews.preview(profileId, cid, owner)).flv)?.isLed,
    ticketOf((await previews.play(profileId, 4, owner)).path)?.isLed,
  ]
  expect(await isLed('extended')).toEqual([true, true])
  expect(await isLed('local')).toEqual([false, false])
  expect(await isLed('p')).toEqual([false, false])
})

it('a path ends with the page that asked for it', async () => {
  const { previews, owner, page, ticketOf } = stage()
  const { path } = await previews.play('local', 4, owner)
  expect(path).toMatch(/\/4\.mp4$/)
  expect(ticketOf(path)).toBeDefined()
  page.abort()
  expect(ticketOf(path)).toBeUndefined()
})

it('media are no nearer than their service: that of this computer only for one of this computer', async () => {
  const { previews, owner, ticketOf } = stage()
  expect(ticketOf((await previews.play('local', 4, owner)).path)?.allowed).toEqual(
    new Set(['public', 'loopback', 'private']),
  )
})

it('an uploaded file of an extended service elsewhere is shown from its own media side only', async () => {
  const { previews, owner, ticketOf } = stage({ liveUrl: 'https://live.example', reached: '203.0.113.7' })
  const id = 'a'.repeat(32)
  const { path } = await previews.showFile('extended', `https://media.example/files/${id}`, owner)
  expect(ticketOf(path)?.allowed).toEqual(new Set(['public']))
  expect((await ticketOf(path)?.file?.url())?.href).toBe(`https://media.example/files/${id}`)
  for (const other of [`https://other.example/files/${id}`, `http://127.0.0.1:8711/files/${id}`])
    await expect(previews.showFile('extended', other, owner)).rejects.toMatchObject({ data: { kind: 'absent' } })
})

it('an uploaded file of this computer is shown, also by its public address', async () => {
  const addresses = { media: 'http://127.0.0.1:8711', publicMedia: 'https://live.example.com' }
  const { previews, owner, ticketOf } = stage({ addresses })
  for (const root of ['http://127.0.0.1:8711', 'https://live.example.com']) {
    const { path } = await previews.showFile('local', `${root}/files/${secretName}`, owner)
    expect((await ticketOf(path)?.file?.url())?.href).toBe(`http://127.0.0.1:8711/files/${secretName}`)
  }
})

it.each([
  ['of another host', 'local', `http://example.com/files/${secretName}`],
  ['of another port', 'local', `http://127.0.0.1:8712/files/${secretName}`],
  ['of a hosted service', 'p', `http://127.0.0.1:8711/files/${secretName}`],
  ['of another path', 'local', `http://127.0.0.1:8711/other/${secretName}`],
  ['of another name', 'local', 'http://127.0.0.1:8711/files/short'],
  ['that is no address', 'local', 'x'],
])('a file %s is not asked for: another host would learn who looks', async (_what, profileId, url) => {
  const { previews, owner } = stage()
  expect(await failureOf(previews.showFile(profileId, url, owner))).toMatchObject({ kind: 'absent' })
})

it('no file is shown while the service of this computer does not run', async () => {
  const { previews, owner } = stage({ isReady: false })
  const url = `http://127.0.0.1:8711/files/${secretName}`
  expect(await failureOf(previews.showFile('local', url, owner))).toMatchObject({
    kind: 'absent',
    detail: 'only files of the service itself are shown',
  })
})

it('media of a service elsewhere are no nearer than that', async () => {
  const { previews, owner, ticketOf } = stage({
    flv: 'http://media.example/live/x.flv',
    liveUrl: 'https://live.example',
    reached: '93.184.216.34',
  })
  for (const path of [(await previews.play('p', 4, owner)).path, (await previews.preview('p', cid, owner)).flv])
    expect(ticketOf(path)?.allowed).toEqual(new Set(['public']))
})

it('a recorded file has a path with its name, and its address is asked for when it is read', async () => {
  const { previews, owner, ticketOf } = stage()
  const { path } = await previews.play('local', 7, owner)
  expect(path).toMatch(/^\/media\/[\w-]{32}\/7\.mp4$/)
  const ticket = ticketOf(path)
  expect(ticket).toMatchObject({ profileId: 'local', cid: '', flv: undefined, hls: undefined })
  expect((await ticket?.file?.url())?.href).toBe('http://127.0.0.1:8711/r/7.mp4')
})

it('the mark of an own preview is of the second in which it is made', async () => {
  const { previews, owner, ticketOf, clock } = stage({ flv: 'http://127.0.0.1:8711/live/x.flv' })
  const ticket = ticketOf((await previews.preview('local', cid, owner)).flv)
  const first = ticket?.mark?.()
  expect(first).toBe(ownPreviewMark(hmac, 's', cid, Math.floor(clock.now() / 1_000)))
  clock.advance(1_000)
  expect(ticket?.mark?.()).not.toBe(first)
})

it('only a whole public address is taken for the own one', async () => {
  const addresses = { media: 'http://127.0.0.1:8711', publicMedia: 'https://live.example.com/sub' }
  const { previews, owner, ticketOf } = stage({ flv: 'https://live.example.com/subway/x.flv', addresses })
  expect(ticketOf((await previews.preview('local', cid, owner)).flv)?.flv?.href).toBe(
    'https://live.example.com/subway/x.flv',
  )
})
