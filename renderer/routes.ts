import type { RouteRecordRaw } from 'vue-router'
import { fetchedAgain } from './fetched-again.ts'
import ChannelsView from './views/channels-view.vue'

/** The screens that exist; Studio and Settings are loaded when first opened. */
export const routes: RouteRecordRaw[] = [
  { path: '/', redirect: '/channels' },
  { path: '/channels', name: 'channels', component: ChannelsView },
  { path: '/studio/:cid?', name: 'studio', component: fetchedAgain(() => import('./views/studio-view.vue')) },
  { path: '/recordings', name: 'recordings', component: fetchedAgain(() => import('./views/recordings-view.vue')) },
  { path: '/room', name: 'room', component: fetchedAgain(() => import('./views/room-view.vue')) },
  {
    path: '/pop-out/room/:roomid(\\d{1,16})/:profile?',
    name: 'popOut',
    component: fetchedAgain(() => import('./views/pop-out-view.vue')),
  },
  {
    path: '/messaging/:part(accounts|teams|words)?/:about?',
    name: 'messaging',
    component: fetchedAgain(() => import('./views/messaging-view.vue')),
  },
  { path: '/console/:path(.*)*', name: 'console', component: fetchedAgain(() => import('./views/console-view.vue')) },
  { path: '/settings', redirect: '/settings/recordings' },
  {
    path: '/settings/:section(profiles|computer|recordings|receivers|copies|room|keys|moderators|desktop|appearance|support|about)',
    name: 'settings',
    component: fetchedAgain(() => import('./views/settings-view.vue')),
  },
  { path: '/join', name: 'join', component: fetchedAgain(() => import('./views/join-view.vue')) },
  { path: '/:rest(.*)*', redirect: '/channels' },
]
