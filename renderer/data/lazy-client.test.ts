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
