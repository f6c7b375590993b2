import { describe, expect, it } from 'vitest'
import { ref } from 'vue'
import { createUnsent, emptyOf } from './sent-text.ts'

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
