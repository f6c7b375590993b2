import { z } from 'zod'

/**
 * Receivers of an event: `page`: pages of this computer; `moderator`: pages of moderators, as narrowed by
 * `companion/rpc/seat-gate.ts`; `desktop`: the desktop shell outside of its windows.
 */
export type EventAudience = 'page' | 'moderator' | 'desktop'

/** Facts of an event besides its members. */
export interface EventFacts<E> {
  readonly docs: string
  readonly audience: readonly EventAudience[]
  /** Members that name the part whose whole state it carries, replacing an older event; null for news. */
  readonly slice: readonly string[] | null
  /** Whether later subscriptions begin with it, unless `ended`; false for a state that a new page fetches anyway. */
  readonly kept: boolean
  /** The part has no state any more. */
  readonly ended?: (event: E) => boolean
}

/** Describes an event. */
export const event = <T extends string, S extends z.ZodRawShape, const A extends readonly EventAudience[]>(
  type: T,
  members: S,
  facts: EventFacts<z.infer<z.ZodObject<S>>> & { readonly audience: A },
) => ({ schema: z.object({ type: z.literal(type), ...members }), ...facts })

/** All receivers. */
export const everybody = ['page', 'moderator', 'desktop'] as const
/** Pages of this computer. */
export const pages = ['page'] as const
/** Pages and the desktop shell. */
export const shell = ['page', 'desktop'] as const
/** State of the whole app. */
export const state = { slice: [], kept: true } as const
/** News: nothing is replaced. */
export const news = { slice: null, kept: false } as const
/** Members of an event of a channel. */
export const onChannel = { profileId: z.string(), cid: z.string(), at: z.number() }
