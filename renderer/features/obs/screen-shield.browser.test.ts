import { describe, expect, it, vi } from 'vitest'
import { h, nextTick, ref, type Ref } from 'vue'
import { desktopWindow } from '../../testing/desktop-window.ts'
import { makeObs } from '../../testing/fake-obs.ts'
import { began, channel, mounted, tallies, tally } from '../../testing/mounted.ts'
import { useScreenShield } from './screen-shield.ts'

const one = channel(1)
const onAir = tallies([tally({ ...one, status: 1 })])

const show = async (shown: Ref<boolean>, options: Parameters<typeof mounted>[1] = {}) => {
  const hide = vi.fn(() => {
    shown.value = false
  })
  const there = ref(true)
  const told: boolean[] = []
  const Part = {
    setup: () => {
      const streaming = useScreenShield(() => shown.value, hide)
      return () => {
        told.push(streaming.value)
        return null
      }
    },
  }
  const page = await mounted({ render: () => (there.value ? h(Part) : null) }, { channels: [one], ...options })
  return { ...page, hide, there, told }
}

describe('a part that shows a secret', () => {
  it('keeps the window out of recordings as long as it shows it', async () => {
    const done = desktopWindow()
    const shown = ref(false)
    await show(shown)
    expect(done).toEqual([])
    shown.value = true
    await nextTick()
    expect(done).toEqual(['shield'])
    shown.value = false
    await nextTick()
    expect(done).toEqual(['shield', 'unshield'])
  })

  it('no longer keeps it out once the part itself is gone', async () => {
    const done = desktopWindow()
    const { there } = await show(ref(true))
    expect(done).toEqual(['shield'])
    there.value = false
    await nextTick()
    expect(done).toEqual(['shield', 'unshield'])
  })

  it('hides it as soon as a channel goes on air, and says that it is streamed', async () => {
    const shown = ref(true)
    const { hide, tell, told } = await show(shown)
    expect([hide.mock.calls.length, told.at(-1)]).toEqual([0, false])
    await tell(onAir)
    expect([hide.mock.calls.length, shown.value, told.at(-1)]).toEqual([1, false, true])
  })

  it('hides it as soon as OBS streams, wherever to', async () => {
    const shown = ref(true)
    const { hide, tell } = await show(shown)
    await tell({ type: 'obs', obs: makeObs('idle', began) })
    expect(hide).not.toHaveBeenCalled()
    await tell({ type: 'obs', obs: makeObs('elsewhere', began) })
    expect([hide.mock.calls.length, shown.value]).toEqual([1, false])
  })

  it('hides it at once where it is shown during a stream, and asks for nothing where it is not', async () => {
    const shown = ref(false)
    const { hide } = await show(shown, { events: [onAir] })
    expect(hide).not.toHaveBeenCalled()
    shown.value = true
    expect([hide.mock.calls.length, shown.value]).toEqual([1, false])
  })

  it('hides it at once where the part comes during a stream', async () => {
    const shown = ref(true)
    const { hide } = await show(shown, { events: [onAir] })
    expect([hide.mock.calls.length, shown.value]).toEqual([1, false])
  })
})
