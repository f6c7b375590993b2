import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { local } from '../../contract/operations/index.ts'
import { startProxiedChannel } from '../access/testing/proxied-channel.ts'
import { freePort } from '../targets/testing/nginx-target.ts'
import { until } from '../testing/condition.ts'
import { proxySnippet } from './snippet.ts'
import { startProxy } from './testing/proxy.ts'

it.each(['nginx', 'caddy'] as const)('the media side works below a path of %s', async (server) => {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}/tv`
  const channel = await startProxiedChannel({ publicAddresses: { media: publicUrl } })
  onTestFinished(() => channel.close())
  const { service, cid } = channel
  const { text } = proxySnippet(server, { publicUrl, target: new URL(service.service.own.mediaUrl).host })
  onTestFinished(startProxy(server, text))
  const page = `${publicUrl}/watch/${cid}`
  const ask = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init })
  const statusOf = (url: string): Promise<number> =>
    ask(url)
      .then(({ status }) => status)
      .catch(() => 0)
  await until('the proxy answers', async () => (await statusOf(`${page}/state`)) === 200, 20_000)

  const playlist = `${publicUrl}/live/${cid}/playlist.m3u8`
  await until('a playlist', async () => (await statusOf(playlist)) === 200)
  const flv = (await ask(`${publicUrl}/live/${cid}.flv`)).body!.getReader()
  const first = await flv.read()
  await flv.cancel()
  expect(Buffer.from(first.value!).toString('latin1', 0, 3)).toBe('FLV')
  const segment = (await (await ask(playlist)).text()).split('\n').find((line) => line.endsWith('.m4s'))!
  expect(await statusOf(new URL(segment, playlist).href)).toBe(200)

  const { url } = (await service.call(local.addNamedLink, { cid, name: 'Mum' })).ret!
  expect(url.startsWith(`${page}/`)).toBe(true)
  await service.call(local.updateAccess, { cid, mode: 'links' })
  const came = await ask(url)
  expect(new URL(came.headers.get('location')!, url).href).toBe(page)
  const cookie = came.headers.get('set-cookie')!.split(';')[0]!
  const { gate } = (await (await ask(`${page}/state`, { headers: { cookie } })).json()) as { readonly gate?: string }
  expect([came.status, gate]).toEqual([303, undefined])
  expect(await statusOf(`${publicUrl}/live/${cid}.flv`)).toBe(403)

  const link = new WebSocket(`${publicUrl.replace('http', 'ws')}/link`, { origin: new URL(publicUrl).origin })
  await once(link, 'open')
  link.terminate()
})
