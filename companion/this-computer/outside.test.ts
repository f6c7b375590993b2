import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ServiceChoices } from '../../contract/service-process.ts'
import { nodeLauncher } from '../supervisor/launcher.ts'
import { type Rig, scratch, serviceEntry, startRig, until } from '../testing/rig.ts'
import { outsideChoices } from './service-choices.ts'

const folder = scratch()
const profileId = 'local'
/** A name that nothing resolves, so that whatever is asked there fails. */
const outside = { media: 'https://live.invalid/tv', link: null, proxies: ['127.0.0.0/8'] }
const nothing = { media: null, link: null, proxies: [] }
const started: ServiceChoices[] = []
let rig: Rig
const begin = async (): Promise<void> => {
  const launch = nodeLauncher(serviceEntry)
  rig = await startRig(folder.dir, {
    launch: () => {
      const made = launch()
      return {
        ...made,
        send: (message) => {
          if (message.type === 'start') started.push(message.choices)
          made.send(message)
        },
      }
    },
  })
  await rig.companion.serviceReady(40_000)
}
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
  expect(await rpc.computer.setOutside({ ...outside, evenOnAir: false })).toEqual({
    outcome: 'done',
    listener: null,
    by: null,
  })
  // Ports stay, whatever the public address says.
  expect(await until('the public address', () => (addresses()?.publicMedia == null ? null : addresses()))).toEqual({
    ...before,
    publicMedia: outside.media,
  })
  expect((await rig.companion.serviceReady(40_000))?.linkUrl).toBe(`${before.media.replace('http', 'ws')}/link`)
  const told = JSON.stringify(await rpc.console.call({ profileId, path: '/app/address', parameters: { cid } }))
  expect(told).toContain(`${outside.media}/live/${cid}.flv`)
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
  expect((await until('the service', addresses)).publicMedia).toBe(outside.media)
  expect(started.at(-1)).toMatchObject({
    publicAddresses: { media: outside.media, rtmp: null },
    trustedProxies: outside.proxies,
  })
  expect((await until('the setting', () => rig.page.newest('computer'))).computer.outside).toEqual(outside)
  const { port } = new URL(addresses()?.media ?? '')
  expect(await asGuest(port, 'live.invalid')).toBe(404)
  expect(await asGuest(port, 'other.invalid')).toBe(403)
})

it('takes nothing that is no address or range, and nothing of it when it is emptied', async () => {
  const { rpc } = rig.page
  const before = started.length
  for (const wrong of [
    { media: 'live.invalid' },
    { media: 'javascript:alert(1)' },
    { media: 'https://live.invalid/' },
    { link: 'https://live.invalid/link' },
    { proxies: ['everybody'] },
    { proxies: ['10.0.0.0/33'] },
    { proxies: Array.from({ length: 17 }, () => '::1') },
  ])
    await expect(
      rpc.computer.setOutside({ ...nothing, ...wrong, evenOnAir: false }),
      JSON.stringify(wrong),
    ).rejects.toThrow(/validation/i)
  expect(await rpc.computer.setOutside({ ...outside, evenOnAir: false })).toMatchObject({ outcome: 'done' })
  expect(started.length).toBe(before)
  expect(await rpc.computer.setOutside({ ...nothing, evenOnAir: false })).toMatchObject({ outcome: 'done' })
  expect(started.length).toBe(before + 1)
  expect(started.at(-1)).not.toHaveProperty('publicAddresses')
  expect(started.at(-1)).not.toHaveProperty('trustedProxies')
  expect(JSON.parse(readFileSync(path.join(folder.dir, 'computer.json'), 'utf8'))).toMatchObject({ outside: nothing })
})

it('leaves out what a file has that is no address', () => {
  expect(outsideChoices({ media: 'nonsense', link: null, proxies: ['x', '::1'] })).toEqual({ trustedProxies: ['::1'] })
  expect(outsideChoices({ media: null, link: 'wss://a.example/link', proxies: [] })).toEqual({
    publicAddresses: { rtmp: null, link: 'wss://a.example/link' },
  })
})
