import { request } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Rig, scratch, startRig, until } from '../testing/rig.ts'

const folder = scratch()
const profileId = 'local'
/** A name that nothing resolves, so that whatever is asked there fails. */
const publicUrl = 'https://live.invalid/tv'
let rig: Rig
const begin = async (): Promise<void> => {
  rig = await startRig(folder.dir)
  await rig.companion.serviceReady(40_000)
}
const update = (call: Parameters<Rig['page']['rpc']['operations']['reach']['updateReach']>[0]['call']) =>
  rig.page.rpc.operations.reach.updateReach({ profileId, call })
const addresses = () => rig.page.newest('service', ({ service }) => service.phase === 'running')?.service.addresses
const bodyOf = async (pathname: string): Promise<string> => {
  const answer = await rig.companion.relay.fetch({
    method: 'GET',
    path: pathname,
    signal: new AbortController().signal,
  })
  const parts: Buffer[] = []
  if (answer.body) for await (const part of answer.body as AsyncIterable<Buffer>) parts.push(part)
  return `${answer.status} ${Buffer.concat(parts).toString('latin1')}`
}
/** Status of a page of another origin that asks a guest's way in; a proxy says that it came by TLS. */
const asGuest = (port: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { host, origin: `https://${host}`, 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' }
    request({ method: 'POST', host: '127.0.0.1', port, path: `/watch/${'0'.repeat(32)}/guest`, headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
      .on('error', reject)
      .end()
  })

beforeAll(begin)
afterAll(async () => {
  await rig.close()
  folder[Symbol.dispose]()
})

it('others are told the public addresses, encoders and the app itself those of this computer', async () => {
  const { rpc } = rig.page
  const { cid } = await rpc.channels.create({ profileId, name: 'Outside' })
  const before = await until('the service', addresses)
  expect(before.publicMedia).toBeNull()
  await update({ reach: 'proxy', publicUrl, proxies: ['127.0.0.0/8'] })
  // Ports stay, whatever the public address says.
  expect(await until('the public address', () => (addresses()?.publicMedia == null ? null : addresses()))).toEqual({
    ...before,
    publicMedia: publicUrl,
  })
  expect((await rig.companion.serviceReady(40_000))?.linkUrl).toBe(`${before.media.replace('http', 'ws')}/link`)
  const told = JSON.stringify(await rpc.console.call({ profileId, path: '/app/address', parameters: { cid } }))
  expect(told).toContain(`${publicUrl}/live/${cid}.flv`)
  expect(told).toContain(`rtmp://127.0.0.1:`)
  expect(told).not.toContain('rtmp://live.invalid')
  // Its previews and files go straight to the listener: it answers, and nothing could at the public name.
  const { flv, hls } = await rpc.preview.open({ profileId, cid })
  expect([await bodyOf(flv ?? ''), await bodyOf(hls ?? '')]).toEqual([
    expect.stringMatching(/^404 /),
    expect.stringMatching(/^404 /),
  ])
  const { url } = await rpc.messaging.upload({
    profileId,
    content: Buffer.from('a picture').toString('base64'),
    type: 'png',
  })
  expect(url).toMatch(/^https:\/\/live\.invalid\/tv\/files\//)
  expect(await bodyOf((await rpc.messaging.media({ profileId, url })).path)).toBe('200 a picture')
  expect(JSON.stringify(await rpc.console.call({ profileId, path: '/local/service/info', parameters: {} }))).toContain(
    '"code":200',
  )
})

it('are kept for the next start, with the proxies whose word is taken', async () => {
  await rig.close()
  await begin()
  await until('the public address', () => addresses()?.publicMedia === publicUrl)
  const { port } = new URL(addresses()?.media ?? '')
  expect(await asGuest(port, 'live.invalid')).toBe(404)
  expect(await asGuest(port, 'other.invalid')).toBe(403)
})

it('are those of this computer again when the reach is', async () => {
  await update({ reach: 'computer' })
  await until('the address of this computer', () => addresses()?.publicMedia === null)
})
