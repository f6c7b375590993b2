import { onBeforeUnmount } from 'vue'
import { chordOf } from '../keys/room-keys.ts'
import { pageKeyOf } from '../keys/page-keys.ts'
import { isTyping, useWindowKeys } from '../../ui/window-keys.ts'

/** A notch of the wheel, and a press of a key, as a factor of the length. */
const notch = 1.25
/** How far the pointer goes before it drags, in px. */
const slack = 4

/** A drag ends with a click on what is under it, at once or never, which is not meant. */
function swallowClick(): void {
  const stop = (event: MouseEvent): void => event.stopPropagation()
  window.addEventListener('click', stop, { capture: true })
  setTimeout(() => window.removeEventListener('click', stop, { capture: true }))
}

/** Wheel, drag and the keys + and − of a time line; `left` and `width` are those of its lanes, in px. */
export function useTimeLineMoves(parts: {
  readonly lanes: () => { readonly left: number; readonly width: number } | undefined
  readonly zoom: (factor: number, place?: number) => void
  readonly move: (by: number) => void
}) {
  const { lanes, zoom, move } = parts
  let last: number | undefined
  let isDragged = false
  const drag = (event: PointerEvent): void => {
    const box = lanes()
    if (last === undefined || !box || box.width === 0) return
    if (!isDragged && Math.abs(event.clientX - last) < slack) return
    isDragged = true
    move((last - event.clientX) / box.width)
    last = event.clientX
  }
  const drop = (): void => {
    if (isDragged) swallowClick()
    last = undefined
    isDragged = false
    window.removeEventListener('pointermove', drag)
    window.removeEventListener('pointerup', drop)
    window.removeEventListener('pointercancel', drop)
  }
  onBeforeUnmount(drop)
  useWindowKeys((event) => {
    if (event.defaultPrevented || isTyping(event.target)) return
    if (document.querySelector('[role="dialog"], [role="menu"]')) return
    const key = pageKeyOf(event)
    // Many keyboards have + on the key that writes = without Shift.
    if (key === 'zoomIn' || chordOf(event) === '=') zoom(1 / notch)
    else if (key === 'zoomOut') zoom(notch)
  })
  return {
    zoomIn: (): void => zoom(1 / notch),
    zoomOut: (): void => zoom(notch),
    wheel: (event: WheelEvent): void => {
      const box = lanes()
      // With Ctrl the whole page is zoomed.
      if (!box || box.width === 0 || event.ctrlKey) return
      event.preventDefault()
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(event.deltaX / box.width)
      else zoom(event.deltaY > 0 ? notch : 1 / notch, Math.min(1, Math.max(0, (event.clientX - box.left) / box.width)))
    },
    grab: (event: PointerEvent): void => {
      if (event.button !== 0) return
      isDragged = false
      last = event.clientX
      window.addEventListener('pointermove', drag)
      window.addEventListener('pointerup', drop)
      window.addEventListener('pointercancel', drop)
    },
  }
}
