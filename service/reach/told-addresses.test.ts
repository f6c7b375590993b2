import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { live, local } from '../../contract/operations/index.ts'
import { listFile } from '../recording/testing/listed-file.ts'
import { freePort } from '../targets/testing/nginx-target.ts'
import { until } from '../testing/condition.ts'
import { startService } from '../testing/start-service.ts'
import { startProxy } from './testing/proxy.ts'

/** Paths of the media side, of signed calls and of the client link, below one name. */
const places = [
  { media: '', api: '', link: undefined },
  { media: '/tv', api: '', link: '/chat' },
  { media: '', api: '/calls', link: '/tv/talk' },
  { media: '/tv', api: '/tv', link: undefined },
] as const

it.each((['nginx', 'caddy'] as const).flatMap((server) => places.map((place) => ({ server, ...place }))))(
  '$server with the text of the service has each address that it tells: "$media", "$api", $link',
  async ({ server, media, api, link }) => {
    const port = await freePort()
    const root = `http://localhost:${port}`
    const service = await startService({
      trustedProxies: ['127.0.0.1'],
      publicAddresses: {
        media: root + media,
        api: root + api,
        ...(link !== undefined && { link: root.replace('http', 'ws') + link }),
      },
    })
    onTestFinished(() => service.close())
    const { text } = (await service.call(local.proxySnippet, { server, publicUrl: root + media })).ret!
    onTestFinished(startProxy(server, text))
    const { ready } = service.service
    const { cid } = (await service.call(live.create, { name: 'harbour' })).ret!
    const read = async (url: string): Promise<{ status: number; text: string }> => {
      const answer = await fetch(url, { redirect: 'manual' })
      return { status: answer.status, text: await answer.text() }
    }
    await until(
      'the proxy answers',
      async () => (await read(`${ready.mediaUrl}/watch/${cid}/state`).catch(() => undefined))?.status === 200,
      20_000,
    )

    const headers = { ...service.sign(), 'content-type': 'application/json' }
    const listed = await fetch(ready.baseUrl + live.list.path, { method: 'POST', headers, body: '{}' })
    expect(await listed.json()).toMatchObject({ code: 200 })

    const vid = await listFile(service, cid, Date.now(), { format: 0, bytes: Buffer.from('the film') })
    const { url } = (await service.call(local.playbackTicket, { vid })).ret!
    expect(await read(url)).toEqual({ status: 200, text: 'the film' })

    const { url: named } = (await service.call(local.addNamedLink, { cid, name: 'Mum' })).ret!
    expect((await read(named)).status).toBe(303)
    const visit = (await service.call(local.startVisit, { cid })).ret!
    // Arrived: the page itself is not built for tests of the service.
    expect((await read(visit.url)).text).toContain('the page of a visit was not built')

    const socket = new WebSocket(ready.linkUrl, { origin: root })
    await once(socket, 'open')
    socket.terminate()
  },
  60_000,
)
