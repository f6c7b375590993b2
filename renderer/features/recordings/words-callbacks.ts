import type { Words } from '../../format/languages.ts'

/** Words of callbacks and their receiver. */
export const callbacksWords = {
  callbacks: {
    title: { en: 'Delivery log', zh: '投递日志' },
    lead: { en: 'The service calls back for each finished file.', zh: '每个文件完成后，服务会发出回调。' },
    sent: { en: 'Sent by the service', zh: '服务发出的' },
    received: { en: 'Received by this app', zh: '本应用收到的' },
    noneSent: {
      en: 'Nothing was sent yet. Callbacks begin when an address is set.',
      zh: '还没有发出。设置回调地址后开始。',
    },
    noneReceived: { en: 'Nothing was received yet.', zh: '还没有收到。' },
    setUp: { en: 'Set up the receiver', zh: '设置接收器' },
    state: {
      waiting: { en: 'Waiting', zh: '等待中' },
      delivered: { en: 'Delivered', zh: '已送达' },
      failed: { en: 'Given up', zh: '已放弃' },
    },
    retry: { en: 'Retry {time}', zh: '{time} 重试' },
    attempts: { en: '{n} attempt | {n} attempts', zh: '{n} 次尝试 | {n} 次尝试' },
    resend: { en: 'Resend', zh: '重发' },
    retryNow: { en: 'Retry', zh: '重试' },
    retryThis: { en: 'Retry the callback of {name}', zh: '重试 {name} 的回调' },
    resendThis: { en: 'Resend {id}', zh: '重发 {id}' },
    verdict: {
      accepted: { en: 'Accepted', zh: '已接受' },
      duplicate: { en: 'Duplicate, dropped', zh: '重复，已丢弃' },
      forged: { en: 'Forged, turned away', zh: '伪造，已拒绝' },
      unreadable: { en: 'Unreadable, turned away', zh: '无法解读，已拒绝' },
    },
    test: {
      replay: { en: 'replayed here', zh: '在此重放' },
      tamper: { en: 'tampered with here', zh: '在此篡改' },
    },
  },
  receiver: {
    section: { en: 'Callbacks', zh: '回调' },
    title: { en: 'Receiver of callbacks', zh: '回调接收器' },
    lead: {
      en: 'The service calls back for each finished file. This app can receive and verify these calls, and drops duplicates.',
      zh: '每个文件完成后服务会发出回调。本应用可以接收并验证，重复的会丢弃。',
    },
    phase: {
      off: { en: 'Off', zh: '关闭' },
      listening: { en: 'Listening', zh: '监听中' },
      failed: { en: 'Not listening', zh: '未能监听' },
    },
    host: { en: 'Listen at', zh: '监听地址' },
    hostFault: { en: 'Enter an IP address of this computer.', zh: '请填写本机的 IP 地址。' },
    port: { en: 'Port', zh: '端口' },
    portHelp: { en: '0 takes any free one.', zh: '0 表示任意空闲端口。' },
    portFault: { en: 'Enter a number from 0 to 65535.', zh: '请填写 0 到 65535 的数字。' },
    start: { en: 'Start', zh: '启动' },
    stop: { en: 'Stop', zh: '停止' },
    open: {
      en: 'It listens beyond this computer. Only signed messages are accepted.',
      zh: '监听范围超出本机。只接受有签名的消息。',
    },
    reachable: {
      en: 'The service runs on another computer and must reach this one. Give it a public name or a tunnel that ends at port {port} here, then enter that address.',
      zh: '服务在另一台计算机上，必须能访问本机。请准备公网名称或通往本机端口 {port} 的隧道，然后填写该地址。',
    },
    address: { en: 'Address for the service', zh: '提供给服务的地址' },
    register: { en: 'Set as callback address', zh: '设为回调地址' },
    registered: { en: 'The service calls back to {url}', zh: '服务将回调 {url}' },
    key: { en: 'Signing key', zh: '签名密钥' },
    keyLead: {
      en: 'It signs each callback. The service and every receiver must know it.',
      zh: '用于签名每次回调。服务和所有接收方都要知道它。',
    },
    keyMissing: {
      en: 'No signing key is known, so every message is turned away for now. Enter one to set it here and at the service.',
      zh: '还没有签名密钥，因此暂时拒绝所有消息。请填写一个，会同时设置到本机和服务。',
    },
    showKey: { en: 'Show the key', zh: '显示密钥' },
    hideKey: { en: 'Hide the key', zh: '隐藏密钥' },
    newKey: { en: 'New signing key', zh: '新的签名密钥' },
    saveKey: { en: 'Set key', zh: '设置密钥' },
    none: {
      en: 'Nothing was received yet. Start the receiver, set it as callback address, then record a push.',
      zh: '还没有收到。请启动接收器，设为回调地址，然后录制一次推流。',
    },
    stale: { en: 'late', zh: '迟到' },
    replay: { en: 'Replay', zh: '重放' },
    replayThis: { en: 'Replay message {n}', zh: '重放第 {n} 条' },
    tamper: { en: 'Tamper', zh: '篡改' },
    tamperThis: { en: 'Tamper with message {n}', zh: '篡改第 {n} 条' },
    whenOn: { en: 'Possible while the receiver listens.', zh: '接收器监听时可用。' },
  },
} satisfies Words
