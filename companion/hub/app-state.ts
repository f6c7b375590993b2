import { events, factsOf, type AppEvent } from '../../contract/rpc/events.ts'

type EventOf<T extends AppEvent['type']> = Extract<AppEvent, { readonly type: T }>

/** The newest event of a type for each thing that it is about. */
export type AppState = Pick<ReturnType<typeof createAppState>, 'newest'>

/** Where the members that name the slice of an event's type stand. */
const paths = new Map(
  Object.entries(events).map(([type, { slice }]) => [type, slice?.map((path) => path.split('.')) ?? null]),
)
const valueAt = (event: AppEvent, path: readonly string[]): unknown =>
  path.reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)[name], event)

/** The slice of an event, within which a newer one replaces it; undefined for news. */
export function sliceOf(event: AppEvent): string | undefined {
  const slice = paths.get(event.type)
  if (!slice) return undefined
  let name: string = event.type
  for (const path of slice) name += ` ${String(valueAt(event, path))}`
  return name
}

const profileOf = (event: AppEvent): unknown => {
  const path = paths.get(event.type)?.find((each) => each.at(-1) === 'profileId')
  return path && valueAt(event, path)
}

/** Makes an empty state. */
export function createAppState() {
  const byType = new Map<AppEvent['type'], Map<string, AppEvent>>()
  return {
    newest: <T extends AppEvent['type']>(type: T): readonly EventOf<T>[] =>
      [...(byType.get(type)?.values() ?? [])] as EventOf<T>[],
    put: (event: AppEvent) => {
      const slice = sliceOf(event)
      if (slice === undefined) return
      const { kept, ended } = factsOf(event)
      const ofType = byType.get(event.type) ?? new Map<string, AppEvent>()
      byType.set(event.type, ofType)
      if (ended?.(event)) ofType.delete(slice)
      else if (kept) ofType.set(slice, event)
    },
    forget: (profileId: string) => {
      for (const ofType of byType.values())
        for (const [slice, event] of ofType) if (profileOf(event) === profileId) ofType.delete(slice)
    },
    slices: (): Map<string, AppEvent> => new Map([...byType.values()].flatMap((ofType) => [...ofType])),
  }
}
