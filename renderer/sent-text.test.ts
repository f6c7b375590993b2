import { describe, expect, it } from 'vitest'
import { ref } from 'vue'
import { emptyOf, withUnsent } from './sent-text.ts'

describe('a field whose text was sent', () => {
  it('is emptied of what was sent and of nothing else', () => {
    const field = ref('spoilers')
    expect([emptyOf(field, 'spoilers'), field.value]).toEqual([true, ''])
    field.value = 'insults'
    expect([emptyOf(field, 'spoilers'), field.value]).toEqual([false, 'insults'])
  })

  it('has what was not sent before what was typed since', () => {
    expect([withUnsent('', 'one'), withUnsent(' ', 'one'), withUnsent('two', 'one')]).toEqual(['one', 'one', 'one two'])
  })
})
