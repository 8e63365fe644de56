// measure.js - what a browser makes of a page, for tests/t/039_report_page.pl.
//
// The test puts the page into a frame of each width; the frames follow the browser's colour scheme.
// The answers are JSON in the element "measured".

// Text that is there for screen readers only, and what is inside a picture.
const isUnseen = (element) => element.closest('.unseen, svg > *') !== null ||
	getComputedStyle(element).clipPath !== 'none' || element.closest('thead') !== null &&
	getComputedStyle(element.closest('thead')).clipPath !== 'none';

const name = (element) => `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''}: ` +
	element.textContent.trim().slice(0, 40);

function luminance(color) {
	const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map((c) => c / 255)
		.map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
	return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(color, other) {
	const [low, high] = [luminance(color), luminance(other)].sort((a, b) => a - b);
	return (high + 0.05) / (low + 0.05);
}

function background(element) {
	for (let e = element; e !== null; e = e.parentElement) {
		const color = getComputedStyle(e).backgroundColor;
		if (color !== 'rgba(0, 0, 0, 0)')
			return color;
	}
	return 'rgb(255, 255, 255)';
}

// Elements that stick out of the page or of their own box.
function overflowing(page, width) {
	return [...page.body.querySelectorAll('*')].filter((e) => !isUnseen(e)).filter((e) => {
		const box = e.getBoundingClientRect();
		return box.right > width + 0.5 || box.left < -0.5 ||
			getComputedStyle(e).display !== 'inline' && e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1;
	}).map(name);
}

function textContrasts(page) {
	const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
	const found = [];
	while (walker.nextNode()) {
		const element = walker.currentNode.parentElement;
		if (walker.currentNode.data.trim() !== '' && !isUnseen(element))
			found.push([contrast(getComputedStyle(element).color, background(element)), name(element)]);
	}
	return found;
}

// Of pictures what carries the meaning: WCAG asks for 3 to 1.
function pictureContrasts(page) {
	return [...page.querySelectorAll('svg .mark, svg .minus')].map((e) =>
		[contrast(getComputedStyle(e).fill, background(e)), name(e)]);
}

const lowest = (pairs) => pairs.reduce((a, b) => b[0] < a[0] ? b : a, [99, 'nothing']);
const names = (list) => [...new Set(list)].sort();

function measure(frame) {
	const page = frame.contentDocument;
	const width = frame.clientWidth;
	page.querySelectorAll('details').forEach((d) => { d.open = true; });
	const elements = [...page.querySelectorAll('*')];
	return {
		width,
		scroll: page.documentElement.scrollWidth,
		overflowing: overflowing(page, width),
		contrast: lowest(textContrasts(page)),
		picture: lowest(pictureContrasts(page)),
		texts: textContrasts(page).length,
		pictures: pictureContrasts(page).length,
		elements: names(elements.map((e) => e.tagName.toLowerCase())),
		attributes: names(elements.flatMap((e) => e.getAttributeNames())),
		attacked: frame.contentWindow.attacked ?? null,
		dark: frame.contentWindow.matchMedia('(prefers-color-scheme: dark)').matches,
		nameless: elements.filter((e) => e.tagName === 'svg' && e.getAttribute('aria-hidden') === null && !e.getAttribute('aria-label')).length,
		text: page.body.innerText.replace(/\s+/g, ' '),
	};
}

addEventListener('load', () => {
	document.getElementById('measured').textContent = JSON.stringify([...document.querySelectorAll('iframe')].map(measure));
});
