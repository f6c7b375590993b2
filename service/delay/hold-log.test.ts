import { expect, it } from 'vitest'
import { live, local } from '../../contract/operations/index.ts'
import { encodeFixture, temporaryFolder } from '../hub/testing/fixture.ts'
import { createLog } from '../log.ts'
import { eventually } from '../testing/eventually.ts'
import { startPublisher } from '../testing/publisher.ts'
import { startService } from '../testing/start-service.ts'

it('the log says what is held, by whom, until when, and what becomes of the delay', async () => {
  const folder = temporaryFolder()
  const lines: { msg: string; cid?: string }[] = []
  const log = createLog({
    destination: { write: (line: string) => void lines.push(JSON.parse(line) as { msg: string; cid?: string }) },
  })
  const service = await startService({ log })
  try {
    const { cid, pushUrl } = (await service.call(live.create, { name: 'show' })).ret!
    const said = (): string[] => lines.filter((line) => line.cid === cid).map(({ msg }) => msg)
    const fine = async (answer: Promise<{ code: number }>): Promise<void> => expect((await answer).code).toBe(200)
    const has = (sentence: string): Promise<void> => eventually(() => expect(said()).toContain(sentence))
    const file = await encodeFixture(folder.path, 'push', { duration: 20, gop: 30 })

    await fine(service.call(local.updateHold, { cid, holdSeconds: 60, delaySeconds: 1 }))
    expect(lines.find(({ msg }) => msg === 'hold and delay were set')).toMatchObject({
      cid,
      holdSeconds: 60,
      delaySeconds: 1,
    })
    const first = startPublisher(pushUrl, file)
    // The push has a picture that can be held.
    await eventually(async () => {
      const state = await fetch(`${service.service.ready.mediaUrl}/watch/${cid}/state`)
      expect(await state.json()).toHaveProperty('newest')
    })
    // Only changes are logged: a second call and one with nothing held make none.
    for (const operation of [local.holdBack, local.holdNow, local.holdNow, local.holdBack, local.holdBack])
      await fine(service.call(operation, { cid }))
    const byHand = said().filter((each) => each.includes('by hand'))
    expect(byHand).toEqual(['held by hand', 'the hold by hand is over'])
    await fine(service.call(local.dumpDelay, { cid }))
    first.kill('SIGKILL')
    await has('the encoder was lost: its picture is held')
    const second = startPublisher(pushUrl, file)
    await has('the encoder is back: the hold is over')
    second.kill('SIGKILL')
    await eventually(() =>
      expect(said().filter((each) => each === 'the encoder was lost: its picture is held')).toHaveLength(2),
    )
    await fine(service.call(live.remove, { cid }))
    await has('the push ended while it was held')
    await has('what was delayed was dumped')
    expect(JSON.stringify(lines)).not.toContain('wsSecret')
  } finally {
    await service.close()
    folder.remove()
  }
}, 60_000)
