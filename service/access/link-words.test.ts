import { afterAll, beforeAll, expect, it } from 'vitest'
import { local } from '../../contract/operations/index.ts'
import { RtmpTestClient } from '../ingest/testing/rtmp-test-client.ts'
import { until } from '../testing/condition.ts'
import { httpRequest, type RawAnswer } from '../testing/http-request.ts'
import { startProxiedChannel, type ProxiedChannel } from './testing/proxied-channel.ts'

let channel: ProxiedChannel
beforeAll(async () => {
  channel = await startProxiedChannel()
  // As programs on this computer get it, whatever the mode.
  const playlist = `${channel.media}/live/${channel.cid}/playlist.m3u8`
  await until('a playlist', async () => (await httpRequest(playlist, { method: 'GET' })).status === 200)
})
afterAll(() => channel.close())

let viewer = 0
const nextViewer = (): string => `198.51.100.${++viewer}`
const ask = (path: string, from = nextViewer()): Promise<RawAnswer> =>
  httpRequest(channel.media + path, { method: 'GET', headers: [['x-forwarded-for', from]] })
const said = async (path: string): Promise<unknown[]> => {
  const { status, text } = await ask(path)
  return [status, (JSON.parse(text) as { msg: unknown }).msg]
}
async function playRtmp(query: string): Promise<{ client: RtmpTestClient; words: string }> {
  const { service, cid } = channel
  const client = await RtmpTestClient.open(Number(new URL(service.service.ready.rtmpUrl).port), true)
  client.socket.write(`PROXY TCP4 ${nextViewer()} 127.0.0.1 4000 1935\r\n`)
  await client.handshake()
  await client.connect()
  await client.ask('play', cid + query)
  return { client, words: client.statuses().at(-1)?.description ?? '' }
}
/** What each door says to a player that is turned away. */
async function words(query: string): Promise<unknown[]> {
  const { cid } = channel
  const playlist = await httpRequest(`${channel.media}/live/${cid}/playlist.m3u8`, { method: 'GET' })
  const segment = /^[^#\s?]+/m.exec(playlist.text)![0]
  const { client, words: rtmp } = await playRtmp(query)
  client.close()
  return [
    await said(`/live/${cid}.flv${query}`),
    await said(`/live/${cid}/playlist.m3u8${query}`),
    await said(`/live/${cid}/${segment}${query}`),
    rtmp,
  ]
}
const overAll = (status: number, sentence: string): unknown[] => [
  [status, sentence],
  [status, sentence],
  [status, sentence],
  sentence,
]

it('a player reads what is with its link, and nothing of a token that is none', async () => {
  const { service, cid } = channel
  const named = async (more: { maxViewers?: number; expires?: number }) => {
    const { linkId, url } = (await service.call(local.addNamedLink, { cid, name: 'Mum', ...more })).ret!
    return { linkId, query: `?link=${url.split('/').at(-1)!}` }
  }
  await service.call(local.updateAccess, { cid, mode: 'links' })
  const { linkId, query } = await named({ maxViewers: 1 })
  const other = query.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
  const { client } = await playRtmp(query)
  expect(await words(query)).toEqual(overAll(503, 'this link is in use by as many as it lets in'))
  client.close()
  // Who watches by the link has its place.
  const ana = nextViewer()
  await until('a player of HLS', async () => (await ask(`/live/${cid}/playlist.m3u8${query}`, ana)).status === 200)
  expect((await ask(`/live/${cid}/playlist.m3u8${query}`, ana)).status).toBe(200)

  const opened = await ask(`/watch/${cid}/${query.slice('?link='.length)}`)
  const cookie = opened.headers['set-cookie']![0]!.split(';')[0]!
  await service.call(local.revokeNamedLink, { cid, linkId })
  // To the page a revoked link is as one that never was.
  const state = await httpRequest(`${channel.media}/watch/${cid}/state`, {
    method: 'GET',
    headers: [
      ['x-forwarded-for', nextViewer()],
      ['cookie', cookie],
    ],
  })
  expect(JSON.parse(state.text)).toMatchObject({ gate: 'link' })
  expect(JSON.parse(state.text)).not.toHaveProperty('linkOver')
  expect(await words(query)).toEqual(overAll(403, 'this link was revoked'))
  const stranger = overAll(403, 'this channel is for those with a link')
  expect(await words(other)).toEqual(stranger)
  expect(await words('')).toEqual(stranger)

  const late = await named({ expires: Date.now() + 1_000 })
  await until('the end of the link', async () => (await ask(`/live/${cid}/playlist.m3u8${late.query}`)).status === 403)
  expect(await words(late.query)).toEqual(overAll(403, 'this link has ended'))

  await service.call(local.updateAccess, { cid, mode: 'passphrase', passphrase: 'lamp and harbour' })
  expect(await words(query)).toEqual(overAll(401, 'this link was revoked; this channel asks for a passphrase'))
  expect(await words(late.query)).toEqual(overAll(401, 'this link has ended; this channel asks for a passphrase'))
  expect(await words(other)).toEqual(overAll(401, 'this channel asks for a passphrase'))

  await service.call(local.removeNamedLink, { cid, linkId })
  await service.call(local.updateAccess, { cid, mode: 'links', closed: true })
  expect(await words(late.query)).toEqual(overAll(403, 'this channel is turned off'))
  await service.call(local.updateAccess, { cid, closed: false })
  // Of a link that was deleted nothing is known.
  expect(await words(query)).toEqual(stranger)
})
