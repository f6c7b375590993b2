import { describe, expect, it } from 'vitest'
import { ref } from 'vue'
import { createUnsent, emptyOf, sendFrom } from './sent-text.ts'

describe('a field whose text was sent', () => {
  it('is emptied of what was sent and of nothing else', () => {
    const field = ref('spoilers')
    expect([emptyOf(field, 'spoilers'), field.value]).toEqual([true, ''])
    field.value = 'insults'
    expect([emptyOf(field, 'spoilers'), field.value]).toEqual([false, 'insults'])
  })

  it('has what was not sent in its order, before what was typed since', () => {
    const putBack = createUnsent()
    let typed = ''
    for (const unsent of ['one', 'two', 'three']) typed = putBack(typed, unsent)
    expect(typed).toBe('one two three')
    expect(putBack(`${typed} and more`, 'four')).toBe('one two three four and more')
    // Those were sent meanwhile.
    expect([putBack(' ', 'five'), putBack('six', 'seven')]).toEqual(['five', 'seven six'])
  })
})

describe('a text that is sent from its field', () => {
  it.each([
    [true, ''],
    [false, 'spoilers'],
  ])('leaves the field once it was sent, and stays where it was not: %s', async (isSent, left) => {
    const field = ref('spoilers')
    const sent: string[] = []
    const answer = await sendFrom(field, (text) => {
      sent.push(text)
      return Promise.resolve(isSent)
    })
    expect([answer, sent, field.value]).toEqual([isSent, ['spoilers'], left])
  })

  it('leaves alone what was typed before the answer', async () => {
    const field = ref('spoilers')
    const sent = sendFrom(field, () => {
      field.value = 'spoilers again'
      return Promise.resolve(true)
    })
    expect([await sent, field.value]).toEqual([true, 'spoilers again'])
  })
})
