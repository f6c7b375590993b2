import { afterEach, expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { startService, type TestService } from '../testing/start-service.ts'

/** Targets that lead to the service itself. */
let service: TestService
afterEach(() => service.close())

it('a target whose name leads to this service is refused in the words of its number', async () => {
  service = await startService({
    resolve: async (host) => {
      if (host === 'own.example') return ['127.0.0.1']
      if (host === 'other.example') return ['203.0.113.7']
      throw new Error('not known')
    },
  })
  const { cid } = (await service.call(live.create, { name: 'show' })).ret!
  const { rtmp } = service.service.listening
  const add = (host: string, port = rtmp) =>
    service.call(local.addTarget, { cid, name: 'there', url: `rtmp://${host}:${port}/live`, key: 'k', start: 'hand' })
  const refused = await add('127.0.0.1')
  expect(refused).toMatchObject({ msg: 'url is an address of this service, which sends no push to itself' })
  expect(await add('own.example')).toEqual(refused)
  for (const fine of [add('own.example', rtmp === 1 ? 2 : 1), add('other.example'), add('unknown.example')])
    expect((await fine).code).toBe(200)
  const { targetId } = (await add('other.example')).ret!
  const url = `rtmp://own.example:${rtmp}/live`
  expect(await service.call(local.updateTarget, { cid, targetId, url })).toEqual(refused)
})
