import { expect, it } from 'vitest'
import type { RpcClient } from './client.ts'
import { createLazyClient } from './lazy-client.ts'

const clientOf = (name: string, asked: unknown[]): RpcClient =>
  ({
    app: {
      cancelDownload: (...given: unknown[]) => {
        asked.push([name, ...given.slice(0, 1)])
        return Promise.resolve(name)
      },
    },
  }) as unknown as RpcClient

it('calls the connection that is open at the time of the call', async () => {
  const asked: unknown[] = []
  let current: RpcClient | undefined = clientOf('first', asked)
  const client = createLazyClient(() => current)
  expect(await client.app.cancelDownload()).toBe('first')
  current = clientOf('second', asked)
  expect(await client.app.cancelDownload()).toBe('second')
  expect(asked).toEqual([
    ['first', undefined],
    ['second', undefined],
  ])
})

it('rejects while there is no connection', async () => {
  const client = createLazyClient(() => undefined)
  await expect(client.app.cancelDownload()).rejects.toThrow('not connected to the companion')
})

it('hands on what a procedure is asked, and the signal that ends it', async () => {
  const asked: unknown[] = []
  const gone = new AbortController()
  const current = {
    app: {
      openLink: (input: unknown, options: { readonly signal?: AbortSignal }) => {
        asked.push(input, options.signal)
        return Promise.resolve()
      },
    },
  } as unknown as RpcClient
  await createLazyClient(() => current).app.openLink({ url: 'https://a.example/' }, { signal: gone.signal })
  expect(asked).toEqual([{ url: 'https://a.example/' }, gone.signal])
})
