import type { RouteRecordRaw } from 'vue-router'
import { fetchedAgain } from './fetched-again.ts'
import ChannelsView from './features/channels/channels-view.vue'

/** Studio and Settings are loaded on first use. */
export const routes: RouteRecordRaw[] = [
  { path: '/', redirect: '/channels' },
  { path: '/channels', name: 'channels', component: ChannelsView },
  { path: '/studio/:cid?', name: 'studio', component: fetchedAgain(() => import('./features/studio/studio-view.vue')) },
  {
    path: '/recordings',
    name: 'recordings',
    component: fetchedAgain(() => import('./features/recordings/recordings-view.vue')),
  },
  {
    path: '/broadcasts/:id?',
    name: 'broadcasts',
    component: fetchedAgain(() => import('./features/broadcasts/broadcasts-view.vue')),
  },
  {
    path: '/recordings/trim/:vid(\\d{1,15})',
    name: 'trim',
    component: fetchedAgain(() => import('./features/clips/trim-view.vue')),
  },
  { path: '/room', name: 'room', component: fetchedAgain(() => import('./features/rooms/room-view.vue')) },
  {
    path: '/pop-out/room/:roomid(\\d{1,16})/:profile?',
    name: 'popOut',
    component: fetchedAgain(() => import('./features/rooms/pop-out-view.vue')),
  },
  {
    path: '/messaging/:part(accounts|teams|words)?/:about?',
    name: 'messaging',
    component: fetchedAgain(() => import('./features/messaging/messaging-view.vue')),
  },
  {
    path: '/console/:path(.*)*',
    name: 'console',
    component: fetchedAgain(() => import('./features/console/console-view.vue')),
  },
  { path: '/settings', redirect: '/settings/recordings' },
  {
    path: '/settings/:section(profiles|computer|recordings|receivers|copies|room|keys|moderators|desktop|appearance|support|about)',
    name: 'settings',
    component: fetchedAgain(() => import('./features/settings/settings-view.vue')),
  },
  { path: '/join', name: 'join', component: fetchedAgain(() => import('./features/remote-rooms/join-view.vue')) },
  { path: '/:rest(.*)*', redirect: '/channels' },
]
