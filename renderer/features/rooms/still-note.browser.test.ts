import { describe, expect, it } from 'vitest'
import { defineComponent, h, ref, type Ref } from 'vue'
import { mounted, settled } from '../../testing/mounted.ts'
import { provideStillNotes } from '../../ui/still-notes.ts'
import StillNote from './still-note.vue'

const show = async (first: readonly boolean[]) => {
  const shown: Ref<boolean[]> = ref([...first])
  const Stack = defineComponent({
    setup() {
      const still = provideStillNotes()
      return () =>
        h(
          'div',
          { 'data-stack': '', onPointermove: still.hover, onPointerleave: still.goOn },
          shown.value.map((each, index) =>
            h(StillNote, { key: index, shown: each }, () => h('p', { style: 'height: 30px' }, `note ${index}`)),
          ),
        )
    },
  })
  await mounted(Stack)
  const stack = document.querySelector<HTMLElement>('[data-stack]')!
  const set = async (...now: boolean[]): Promise<void> => {
    shown.value = now
    await settled()
  }
  const point = async (type: string, pointerType = 'mouse'): Promise<void> => {
    stack.dispatchEvent(new PointerEvent(type, { pointerType }))
    await settled()
  }
  const boxes = (): unknown[] =>
    [...stack.querySelectorAll<HTMLElement>(':scope > div')].map((box) => [
      box.textContent,
      box.style.order,
      box.style.minHeight,
    ])
  return { set, point, boxes }
}

describe('a note of a stack', () => {
  it('comes above those that are there, and leaves nothing when it goes', async () => {
    const { set, boxes } = await show([true, false])
    expect(boxes()).toEqual([['note 0', '-1', '']])
    await set(true, true)
    expect(boxes()).toEqual([
      ['note 0', '-1', ''],
      ['note 1', '-2', ''],
    ])
    await set(false, true)
    expect(boxes()).toEqual([['note 1', '-2', '']])
    await set(true, true)
    expect(boxes()).toEqual([
      ['note 0', '-3', ''],
      ['note 1', '-2', ''],
    ])
  })

  it('leaves its space while a mouse is on the stack, and comes back to its place in it', async () => {
    const { set, point, boxes } = await show([true, true])
    await point('pointermove')
    await set(false, true)
    expect(boxes()).toEqual([
      ['', '-1', '30px'],
      ['note 1', '-2', ''],
    ])
    await set(true, true)
    expect(boxes()[0]).toEqual(['note 0', '-1', ''])
    await set(false, true)
    await point('pointerleave')
    expect(boxes()).toEqual([['note 1', '-2', '']])
  })

  it('leaves no space under a finger', async () => {
    const { set, point, boxes } = await show([true])
    await point('pointermove', 'touch')
    await set(false)
    expect(boxes()).toEqual([])
  })
})
