import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { manualClock } from '../../platform/testing/manual-clock.ts'
import type { Client } from '../client/client.ts'
import { createTickets, type TicketOwner } from '../relay/tickets.ts'
import { failureOf } from '../testing/rig.ts'
import { createPreviews } from './previews.ts'

const cid = 'c'.repeat(32)
const secretName = 'a'.repeat(32)

interface Served {
  readonly flv?: string
  readonly hls?: string
  /** Addresses of the embedded service. */
  readonly addresses?: { readonly media: string; readonly publicMedia: string | null }
}

function stage({ flv = '', hls = '', addresses }: Served = {}) {
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
    profiles: { service: () => Promise.resolve({ liveUrl: 'http://127.0.0.1:8710', appSecret: 's' }) } as never,
    client: () => Promise.resolve({ call } as unknown as Client),
    recordings: {
      file: (_profile: string, vid: number) =>
        Promise.resolve({ name: `${vid}.mp4`, url: () => Promise.resolve(new URL(`${media}/r/${vid}.mp4`)) }),
    },
    supervisor: { ready: () => ({ mediaUrl: media }), state: () => ({ addresses }) } as never,
    resolve: () => Promise.resolve(['127.0.0.1']),
  })
  const page = new AbortController()
  const owner: TicketOwner = { closed: page.signal }
  /** The ticket of a path. */
  const ticketOf = (path: string | null) => tickets.use(/^\/media\/([^/]+)\//.exec(path ?? '')?.[1] ?? '')
  return { previews, owner, page, ticketOf, calls }
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

it('own previews are marked, so that they are no viewers, and those of a hosted service are not', async () => {
  const { previews, owner, ticketOf } = stage({ flv: 'http://127.0.0.1:8711/live/x.flv' })
  expect(ticketOf((await previews.preview('local', cid, owner)).flv)?.mark?.()).toMatch(/\w{16}/)
  expect(ticketOf((await previews.preview('p', cid, owner)).flv)?.mark).toBeUndefined()
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
