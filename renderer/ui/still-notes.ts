import { inject, provide, readonly, ref, type InjectionKey, type Ref } from 'vue'

interface StillNotes {
  readonly held: Readonly<Ref<boolean>>
  /** Order of the next new note, counted from the composer. */
  readonly next: () => number
}
const key: InjectionKey<StillNotes> = Symbol('stillNotes')

/** Does not move under a mouse: new notes go on top, removed ones leave their space empty. */
export function provideStillNotes(): { readonly hover: (event: PointerEvent) => void; readonly goOn: () => void } {
  const held = ref(false)
  let turns = 0
  provide(key, { held: readonly(held), next: () => ++turns })
  return {
    hover: ({ pointerType }) => {
      if (pointerType === 'mouse') held.value = true
    },
    goOn: () => {
      held.value = false
    },
  }
}

/** The stack around a note. */
export const useStillNotes = (): StillNotes => inject(key)!
