import { expect, it, onTestFinished } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { killedService } from '../testing/killed-service.ts'

it('the next title is kept over a restart', async () => {
  const killed = killedService()
  onTestFinished(() => killed.remove())
  const first = await killed.start()
  const { cid } = (await first.client.call(live.create, { name: 'harbour' })).ret!
  await first.client.call(local.setNextTitle, { cid, title: 'Requests' })
  await killed.kill()
  const again = await killed.start()
  const { list } = (await again.client.call(local.channelDetails, { cidList: [cid] })).ret!
  expect(list).toMatchObject([{ cid, nextTitle: 'Requests' }])
}, 60_000)
