import { beforeEach, describe, expect, it } from 'vitest'
import { ref, type Ref } from 'vue'
import type { Measure } from '../../../contract/rpc/index.ts'
import { createRoomReasons } from './room-reasons.ts'

const mute = (target: string): Measure => ({ kind: 'mute', target, on: true })
let shown: Ref<string | null>
let reasons: ReturnType<typeof createRoomReasons>
let sent: string[]
const take =
  (isDone = true) =>
  (why: string): Promise<boolean> => {
    sent.push(why)
    return Promise.resolve(isDone)
  }
beforeEach(() => {
  shown = ref<string | null>('lee')
  reasons = createRoomReasons(shown)
  sent = []
  reasons.of('lee').value = ' spam '
})

describe('the reason of a measure', () => {
  it('goes without the space around it with a measure against whose card is open, and is empty then', async () => {
    expect(await reasons.send(mute('lee'), take())).toBe(true)
    expect([sent, reasons.of('lee').value]).toEqual([['spam'], ''])
  })

  it('stays where the measure was refused', async () => {
    expect(await reasons.send(mute('lee'), take(false))).toBe(false)
    expect([sent, reasons.of('lee').value]).toEqual([['spam'], ' spam '])
  })

  it.each<[string, Measure, string | null]>([
    ['somebody else', mute('kim'), 'lee'],
    ['somebody whose card is closed', mute('lee'), null],
    ['nobody', { kind: 'muteRoom', on: true }, 'lee'],
  ])('is not sent with a measure against %s, and stays', async (_case, measure, open) => {
    shown.value = open
    await reasons.send(measure, take())
    expect([sent, reasons.of('lee').value]).toEqual([[''], ' spam '])
  })

  it('is of each person apart, and of nobody in another room', () => {
    expect(reasons.of('kim').value).toBe('')
    reasons.of('kim').value = 'insults'
    expect(reasons.of('lee').value).toBe(' spam ')
    reasons.clear()
    expect([reasons.of('lee').value, reasons.of('kim').value]).toEqual(['', ''])
  })

  it('is that of the question where somebody asked, which begins with what was typed', async () => {
    reasons.ask('lee')
    expect(reasons.asked.value).toBe(' spam ')
    reasons.asked.value = ' insults '
    expect(reasons.of('lee').value).toBe(' spam ')
    expect(await reasons.answer('lee', take(false))).toBe(false)
    expect([sent, reasons.of('lee').value]).toEqual([['insults'], ' insults '])
    expect(await reasons.answer('lee', take())).toBe(true)
    expect([sent, reasons.of('lee').value]).toEqual([['insults', 'insults'], ''])
  })
})
