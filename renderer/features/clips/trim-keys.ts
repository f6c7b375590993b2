import type { CutEnd } from './cut.ts'

/** How far a key goes. */
export type StepSize = 'frame' | 'second' | 'marker'

/** What a key of the clip editor does. */
export type TrimAction =
  | { readonly do: 'in' | 'out' | 'back' | 'stop' | 'forward' | 'toggle' | 'save' | 'leave' | 'undo' }
  /** Of an end when its handle has the focus, otherwise of the position. */
  | { readonly do: 'step'; readonly end: CutEnd | 'at'; readonly by: StepSize; readonly direction: 1 | -1 }
  | { readonly do: 'edge'; readonly end: CutEnd; readonly direction: 1 | -1 }

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

const letters: Readonly<Record<string, TrimAction>> = {
  i: { do: 'in' },
  o: { do: 'out' },
  j: { do: 'back' },
  k: { do: 'stop' },
  l: { do: 'forward' },
}
/** By their place, as Shift makes other characters of them. */
const directions: Readonly<Record<string, 1 | -1>> = { Comma: -1, Period: 1, ArrowLeft: -1, ArrowRight: 1 }

/** What a key means; `end` is the handle that has the focus, `typing` and `pressing` say what it goes into instead. */
export function actionOf(
  event: Pressed,
  { end, typing, pressing }: { readonly end: CutEnd | undefined; readonly typing: boolean; readonly pressing: boolean },
): TrimAction | undefined {
  const key = event.key.toLowerCase()
  const command = event.ctrlKey || event.metaKey
  if (command && !event.altKey && key === 's') return { do: 'save' }
  if (key === 'escape') return { do: 'leave' }
  if (typing) return undefined
  if (command) return key === 'z' && !event.shiftKey && !event.altKey ? { do: 'undo' } : undefined
  const isArrow = event.code.startsWith('Arrow')
  const direction = directions[event.code] ?? { ',': -1 as const, '.': 1 as const }[key]
  if (direction !== undefined && (end !== undefined || !isArrow)) {
    const by = event.altKey ? 'marker' : event.shiftKey ? 'second' : 'frame'
    return { do: 'step', end: end ?? 'at', by, direction }
  }
  if (event.altKey || event.shiftKey) return undefined
  if (end !== undefined && (key === 'home' || key === 'end'))
    return { do: 'edge', end, direction: key === 'home' ? -1 : 1 }
  if (key === ' ') return pressing ? undefined : { do: 'toggle' }
  return letters[key]
}
