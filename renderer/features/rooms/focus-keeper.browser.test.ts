import { describe, expect, it } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import { defineComponent, h, reactive, ref } from 'vue'
import { mounted, settled } from '../../testing/mounted.ts'
import { isField, useFocusKeeper } from './focus-keeper.ts'

/** A pane with a box around a part that can be removed, its opener, and a button outside. */
const show = async (opener = false) => {
  const state = reactive({ part: true, field: false, disabled: false, hidden: false })
  let keeper: ReturnType<typeof useFocusKeeper> | undefined
  const Pane = defineComponent({
    setup: () => {
      const pane = ref<HTMLElement | null>(null)
      keeper = useFocusKeeper(pane)
      return () =>
        h('div', [
          h('section', { ref: pane, tabindex: -1, 'aria-label': 'pane' }, [
            h('div', { tabindex: -1, role: 'group', 'aria-label': 'box' }, [
              opener ? h('button', { 'data-opener': '' }, 'opener') : null,
              state.part ? h('button', { disabled: state.disabled, hidden: state.hidden }, 'part') : null,
              state.field ? h('input', { 'aria-label': 'field' }) : null,
            ]),
          ]),
          h('button', 'outside'),
        ])
    },
  })
  await mounted(Pane)
  const change = async (next: Partial<typeof state>): Promise<void> => {
    Object.assign(state, next)
    await settled()
  }
  return { change, keeper: keeper! }
}
const button = (name: string) => page.getByRole('button', { name })
const focus = async (name: string): Promise<void> => {
  button(name).element().focus()
  await settled()
}

describe('the focus of an element that is removed', () => {
  it('goes to the nearest box around it, and keys are about nobody then', async () => {
    const { change, keeper } = await show()
    await focus('part')
    expect(keeper.isLost()).toBe(false)
    await change({ part: false })
    await expect.element(page.getByRole('group', { name: 'box' })).toHaveFocus()
    expect([keeper.isLost(), keeper.wasWriting(), keeper.isAtOpener()]).toEqual([true, false, false])
    keeper.resume()
    expect(keeper.isLost()).toBe(false)
  })

  it('goes to what opens the part', async () => {
    const { change, keeper } = await show(true)
    await focus('part')
    await change({ part: false })
    await expect.element(button('opener')).toHaveFocus()
    expect(keeper.isAtOpener()).toBe(true)
  })

  it('is known to have been in a field', async () => {
    const { change, keeper } = await show(true)
    await change({ field: true })
    page.getByRole('textbox', { name: 'field' }).element().focus()
    await userEvent.keyboard('x')
    await change({ field: false })
    expect([keeper.isLost(), keeper.wasWriting(), keeper.isAtOpener()]).toEqual([true, true, false])
  })

  it('was given up on purpose where a field is left with Esc', async () => {
    const { change, keeper } = await show(true)
    await change({ field: true })
    page.getByRole('textbox', { name: 'field' }).element().focus()
    await userEvent.keyboard('{Escape}')
    await change({ field: false })
    await expect.element(button('opener')).toHaveFocus()
    expect([keeper.wasWriting(), keeper.isAtOpener()]).toEqual([false, true])
  })

  it('stays where somebody moved it before', async () => {
    const { change, keeper } = await show()
    await focus('part')
    await focus('outside')
    await change({ part: false })
    await expect.element(button('outside')).toHaveFocus()
    expect(keeper.isLost()).toBe(false)
  })

  it('is lost no longer once something is pressed', async () => {
    const { change, keeper } = await show()
    await focus('part')
    await change({ part: false })
    expect(keeper.isLost()).toBe(true)
    await button('outside').click()
    expect(keeper.isLost()).toBe(false)
  })

  it('goes to the pane where a command was about to remove it', async () => {
    const { change, keeper } = await show()
    await focus('part')
    keeper.letGo()
    await change({ part: false })
    await expect.element(page.getByRole('region', { name: 'pane' })).toHaveFocus()
    expect(keeper.isLost()).toBe(false)
  })

  it('stays where a command removed nothing, and is kept again', async () => {
    const { change, keeper } = await show()
    await focus('part')
    keeper.letGo()
    await settled()
    await expect.element(button('part')).toHaveFocus()
    await change({ part: false })
    await expect.element(page.getByRole('group', { name: 'box' })).toHaveFocus()
  })
})

it('a button that was disabled while it worked gets the focus back', async () => {
  const { change, keeper } = await show()
  await focus('part')
  await change({ disabled: true })
  expect(keeper.isLost()).toBe(true)
  await change({ disabled: false })
  await expect.element(button('part')).toHaveFocus()
  expect(keeper.isLost()).toBe(false)
})

it('a field takes input: a text, a choice, what can be edited, and nothing else', () => {
  const made = (tag: string, editable = false): HTMLElement => {
    const element = document.createElement(tag)
    if (editable) element.contentEditable = 'true'
    document.body.append(element)
    return element
  }
  expect(['input', 'textarea', 'select'].map((tag) => isField(made(tag)))).toEqual([true, true, true])
  expect([isField(made('div', true)), isField(made('div')), isField(made('button')), isField(null)]).toEqual([
    true,
    false,
    false,
    false,
  ])
  document.body.replaceChildren()
})
