import { expect, it } from 'vitest'
import type { JoinedRequest } from '../companion/remote-rooms/remote-rooms.ts'
import { serveScheme } from './protocol.ts'

const at = `app://sidestage/joined/${'ab'.repeat(8)}`

/** The scheme with joined rooms that note what they are asked, and a page that is empty. */
function start() {
  const asked: JoinedRequest[] = []
  const relayed: string[] = []
  const serve = serveScheme({
    assets: { policy: { styles: [] }, find: () => undefined },
    relay: {
      fetch: ({ path }) => {
        relayed.push(path)
        return Promise.resolve({ status: 404, headers: {}, body: undefined })
      },
    },
    joined: {
      fetch: (request) => {
        asked.push(request)
        return Promise.resolve({ status: 401, headers: { 'sidestage-trouble': 'refused' }, body: undefined })
      },
      attach: () => ({ end: () => undefined }),
    },
  })
  return { asked, relayed, serve }
}

it('hands what pages of joined rooms ask for to where it belongs, with a small body read as JSON', async () => {
  const { asked, relayed, serve } = start()
  const answer = await serve(new Request(`${at}/session`))
  expect([answer.status, answer.headers.get('sidestage-trouble')]).toEqual([401, 'refused'])
  expect(asked.at(-1)).toMatchObject({ method: 'GET', path: `/joined/${'ab'.repeat(8)}/session` })
  for (const [body, read] of [
    ['{"token":"t"}', { token: 't' }],
    ['{', undefined],
    [`{"token":"${'x'.repeat(2_000)}"}`, undefined],
  ] as const) {
    await serve(new Request(`${at}/session`, { method: 'POST', body }))
    expect(asked.at(-1)?.body).toEqual(read)
  }
  await serve(new Request(`${at}/media/t/c.flv?_=1`, { headers: { range: 'bytes=0-' } }))
  expect(asked.at(-1)).toMatchObject({ path: `/joined/${'ab'.repeat(8)}/media/t/c.flv`, range: 'bytes=0-' })
  expect(relayed).toEqual([])
  await serve(new Request('app://sidestage/media/t/c.flv'))
  expect([relayed, asked.length]).toEqual([['/media/t/c.flv'], 5])
})

it('hands nothing on of another host', async () => {
  const { asked, serve } = start()
  expect((await serve(new Request(`${at.replace('sidestage', 'evil')}/session`))).status).toBe(404)
  expect(asked).toEqual([])
})
