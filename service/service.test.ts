import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { live, local } from '../contract/operations/index.ts'
import { startService, type TestService } from './testing/start-service.ts'

describe('a service', () => {
  let service: TestService
  beforeEach(async () => {
    service = await startService()
  })
  afterEach(() => service.close())

  it('says where it is reached, and answers there', async () => {
    const { ready } = service.service
    expect(ready.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(ready.imBaseUrl).toBe(`${ready.baseUrl}/nimserver`)
    const info = await service.call(local.info, {})
    expect(info.ret?.listeners.map(({ name, address }) => `${name} ${address}`)).toEqual(['api 127.0.0.1', 'media 127.0.0.1', 'rtmp 127.0.0.1'])
    expect(new URL(ready.rtmpUrl).port).toBe(String(info.ret?.listeners[2]?.port))
  })

  it('creates a channel and reads it back', async () => {
    const created = await service.call(live.create, { name: '第一个_1' })
    expect(created.code).toBe(200)
    const state = await service.call(live.state, { cid: created.ret!.cid })
    expect(state).toMatchObject({
      code: 200,
      ret: { cid: created.ret!.cid, name: '第一个_1', status: 0, type: 0, needRecord: 0, format: 1, duration: 120, filename: '' },
    })
  })
})
