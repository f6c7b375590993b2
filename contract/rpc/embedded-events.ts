import { z } from 'zod'
import { broadcastChanges, broadcastEnds } from '../operations/broadcasts.ts'
import { event, news, onChannel, pages, shell } from './event.ts'
import { HoldState } from './hold.ts'
import { TargetState } from './targets.ts'

/** Events of what the embedded service alone has. */
export const embeddedEvents = {
  target: event(
    'target',
    { ...onChannel, targetId: z.number(), target: TargetState.nullable(), removed: z.literal(true).optional() },
    {
      docs:
        'How far a target of a channel is, while one is wanted also every 2 s; null for one that is gone: ' +
        '`removed`, or no longer told of.',
      audience: pages,
      slice: ['profileId', 'cid', 'targetId'],
      kept: true,
      ended: ({ target }) => target === null,
    },
  ),
  targets: event(
    'targets',
    { profileId: z.string(), cid: z.string() },
    {
      docs: 'The targets of a channel changed beyond their states: fetch them again.',
      audience: pages,
      slice: ['profileId', 'cid'],
      kept: false,
    },
  ),
  access: event(
    'access',
    { profileId: z.string(), cid: z.string() },
    {
      docs: 'Who may watch a channel changed, or a named link was used: fetch it again.',
      audience: pages,
      slice: ['profileId', 'cid'],
      kept: false,
    },
  ),
  limits: event(
    'limits',
    { profileId: z.string() },
    {
      docs: 'Limits of what viewers may take changed, or how many wait for their turn: fetch them again.',
      audience: pages,
      slice: ['profileId'],
      kept: false,
    },
  ),
  reach: event(
    'reach',
    { profileId: z.string() },
    {
      docs: 'How far the embedded service is reached changed, or a visit from outside went on: fetch it again.',
      audience: pages,
      slice: ['profileId'],
      kept: false,
    },
  ),
  owed: event(
    'owed',
    { profileId: z.string(), reason: z.enum(['full', 'readOnly', 'broken', 'other']).nullable() },
    {
      docs:
        'Something that takes access away is in force, but the disk of the embedded service refuses it; ' +
        'null once all is stored.',
      audience: pages,
      slice: ['profileId'],
      kept: true,
      ended: ({ reason }) => reason === null,
    },
  ),
  broadcast: event(
    'broadcast',
    {
      ...onChannel,
      broadcastId: z.string(),
      change: z.enum(broadcastChanges),
      /** How it ended. */
      how: z.enum(broadcastEnds).optional(),
    },
    {
      docs: 'A broadcast began, went on after a pause, ended, changed otherwise, or was deleted: fetch it again.',
      audience: pages,
      ...news,
    },
  ),
  hold: event(
    'hold',
    { ...onChannel, hold: HoldState.nullable() },
    {
      docs: 'Hold and delay of a channel; null once nothing is known of it.',
      audience: shell,
      slice: ['profileId', 'cid'],
      kept: true,
      ended: ({ hold }) => hold === null,
    },
  ),
} as const
